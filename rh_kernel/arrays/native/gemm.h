/* The matrix product of a BLAS, whose integers are BLAS_INT. */
enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, AS_IS = 111, TRANSPOSED = 112 };
typedef void gemm(int, int, int, BLAS_INT, BLAS_INT, BLAS_INT, real, const real *, BLAS_INT, const real *, BLAS_INT, real, real *, BLAS_INT);
