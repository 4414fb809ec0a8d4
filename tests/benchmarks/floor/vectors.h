/* Numbers, vectors of them, and the loops that every network is made of. REAL is double or float. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef REAL
#define REAL double
#endif
#define INLINE static inline __attribute__((always_inline))
#define LANES ((ptrdiff_t)(64 / sizeof(REAL)))

typedef REAL V __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));

extern double exp(double) __attribute__((simd("notinbranch"), const));
extern float expf(float) __attribute__((simd("notinbranch"), const));

INLINE REAL exponential(REAL x) { return sizeof(REAL) == 8 ? (REAL)exp((double)x) : (REAL)expf((float)x); }

INLINE V at(const REAL *p) { return *(const V *)p; }

/* A vector that stays in a register: the compiler would rather read it from memory at each use */
#ifdef __AVX512F__
#define HELD(v) __asm__("" : "+v"(v))
#else
#define HELD(v) (void)(v)
#endif

typedef REAL H __attribute__((vector_size(32)));
typedef REAL Q __attribute__((vector_size(16)));

/* The sum of a vector, half by half */
INLINE REAL sum(V v) {
    H h[2];
    Q q[2];
    memcpy(h, &v, 64);
    h[0] += h[1];
    memcpy(q, h, 32);
    q[0] += q[1];
    REAL s = 0;
    for (int i = 0; i < LANES / 4; i++) s += q[0][i];
    return s;
}

/* y = swish(z), and its slope in place of z */
INLINE void swish(ptrdiff_t n, REAL *restrict z, REAL *restrict y) {
    for (ptrdiff_t i = 0; i < n; i++) {
        REAL s = 1 / (1 + exponential(-z[i])), v = z[i] * s;
        y[i] = v;
        z[i] = s + v - v * s;
    }
}

/* One tile of c = a b (where the sign is 0) or c += sign a b. a[i, k] is a[i * ai + k * ak]; rows of b and c are contiguous. */
#define TILE(rows, columns)                                                                                      \
    do {                                                                                                          \
        V acc[rows][columns];                                                                                     \
        for (int i = 0; i < rows; i++)                                                                            \
            for (int j = 0; j < columns; j++) {                                                                   \
                acc[i][j] = (V){0};                                                                               \
                if (sign) __builtin_prefetch(c + (row + rows + i) * ldc + col + j * LANES, 1);                \
            }                                                                                                     \
        for (ptrdiff_t k = 0; k < K; k++) {                                                                       \
            V right[columns];                                                                                     \
            for (int j = 0; j < columns; j++) {                                                                   \
                right[j] = at(b + k * ldb + col + j * LANES);                                                     \
                HELD(right[j]);                                                                                   \
            }                                                                                                     \
            for (int i = 0; i < rows; i++) {                                                                      \
                REAL left = a[(row + i) * ai + k * ak];                                                           \
                for (int j = 0; j < columns; j++) acc[i][j] += left * right[j];                                   \
            }                                                                                                     \
        }                                                                                                         \
        for (int i = 0; i < rows; i++)                                                                            \
            for (int j = 0; j < columns; j++) {                                                                   \
                V *place = (V *)(c + (row + i) * ldc + col + j * LANES);                                          \
                if (sign) acc[i][j] = *place + sign * acc[i][j];                                                  \
                *place = acc[i][j];                                                                               \
            }                                                                                                     \
    } while (0)

#define ROWS(columns)                                                                                            \
    do {                                                                                                          \
        ptrdiff_t row = 0;                                                                                        \
        for (; row + 6 <= M; row += 6) TILE(6, columns);                                                          \
        for (; row + 2 <= M; row += 2) TILE(2, columns);                                                          \
        for (; row < M; row++) TILE(1, columns);                                                                  \
    } while (0)

INLINE void some_products(ptrdiff_t M, ptrdiff_t N, ptrdiff_t K, const REAL *a, ptrdiff_t ai, ptrdiff_t ak, const REAL *b,
                    ptrdiff_t ldb, REAL *c, ptrdiff_t ldc, REAL sign) {
    ptrdiff_t col = 0;
    for (; col + 4 * LANES <= N; col += 4 * LANES) ROWS(4);
    for (; col + LANES <= N; col += LANES) ROWS(1);
    if (col < N)
        for (ptrdiff_t row = 0; row < M; row++) {
            REAL acc[16] = {0};
            for (ptrdiff_t k = 0; k < K; k++)
                for (ptrdiff_t j = 0; j < N % LANES; j++) acc[j] += a[row * ai + k * ak] * b[k * ldb + col + j];
            for (ptrdiff_t j = 0; j < N % LANES; j++) {
                REAL *place = c + row * ldc + col + j;
                *place = sign ? *place + sign * acc[j] : acc[j];
            }
        }
}

/* All of it, so many rows of b at a time that their part of a panel stays in the first cache */
INLINE void product(ptrdiff_t M, ptrdiff_t N, ptrdiff_t K, const REAL *a, ptrdiff_t ai, ptrdiff_t ak, const REAL *b, ptrdiff_t ldb,
                    REAL *c, ptrdiff_t ldc, REAL sign) {
    const ptrdiff_t part = K > 160 ? 128 : K;
    for (ptrdiff_t k = 0; k < K; k += part)
        some_products(M, N, k + part < K ? part : K - k, a + k * ak, ai, ak, b + k * ldb, ldb, c, ldc, k && !sign ? 1 : sign);
}

/* c = x wᵀ by scalar products of rows, which are long: rows of x of size n, rows of w of size n */
#define DOTS(rows, columns)                                                                                      \
    do {                                                                                                          \
        V acc[rows][columns];                                                                                     \
        for (int i = 0; i < rows; i++)                                                                            \
            for (int j = 0; j < columns; j++) acc[i][j] = (V){0};                                                 \
        ptrdiff_t k = first;                                                                                      \
        for (; k + LANES <= last; k += LANES) {                                                                      \
            V left[rows];                                                                                         \
            for (int i = 0; i < rows; i++) left[i] = at(x + (row + i) * n + k);                                   \
            for (int j = 0; j < columns; j++) {                                                                   \
                V right = at(w + (col + j) * n + k);                                                              \
                HELD(right);                                                                                      \
                for (int i = 0; i < rows; i++) acc[i][j] += left[i] * right;                                      \
            }                                                                                                     \
        }                                                                                                         \
        for (int i = 0; i < rows; i++)                                                                            \
            for (int j = 0; j < columns; j++) {                                                                   \
                REAL s = sum(acc[i][j]);                                                                          \
                for (ptrdiff_t l = k; l < last; l++) s += x[(row + i) * n + l] * w[(col + j) * n + l];            \
                c[(row + i) * m + col + j] = first ? c[(row + i) * m + col + j] + s : s;                          \
            }                                                                                                     \
    } while (0)

/* Sixty-four rows of x stay in the second cache, and what a tile needs in the first */
INLINE void products_of_rows(ptrdiff_t samples, ptrdiff_t m, ptrdiff_t n, const REAL *x, const REAL *w, REAL *c) {
    const ptrdiff_t some = 64, part = samples > 1 ? 3584 / (ptrdiff_t)sizeof(REAL) : n;
    for (ptrdiff_t from = 0; from < samples; from += some) {
        const ptrdiff_t to = from + some < samples ? from + some : samples;
        for (ptrdiff_t first = 0; first < n; first += part) {
            const ptrdiff_t last = first + part < n ? first + part : n;
            ptrdiff_t col = 0;
            for (; col + 6 <= m; col += 6) {
                ptrdiff_t row = from;
                for (; row + 4 <= to; row += 4) DOTS(4, 6);
                for (; row < to; row++) DOTS(1, 6);
            }
            for (; col + 2 <= m; col += 2) {
                ptrdiff_t row = from;
                for (; row + 4 <= to; row += 4) DOTS(4, 2);
                for (; row < to; row++) DOTS(1, 2);
            }
            for (; col < m; col++)
                for (ptrdiff_t row = from; row < to; row++) DOTS(1, 1);
        }
    }
}
