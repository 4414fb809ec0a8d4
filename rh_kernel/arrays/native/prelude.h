/* The beginning of every generated library; `real` and BITS are defined before it. */
#include <math.h>
#include <stdint.h>

#define BARRIER __asm__ volatile("" ::: "memory");
/* Prevents the compiler from vectorising a loop: sums are already scheduled, and gcc 12 miscompiles some of them. */
#define AS_WRITTEN __asm__ volatile("");
/* Keeps a vector in a register: compilers tend to reload it for each use, and loads are the bottleneck. */
#if defined(__AVX512F__)
#define HOLD(x) __asm__("" : "+v"(x));
#elif defined(__x86_64__)
#define HOLD(x) __asm__("" : "+x"(x));
#else
#define HOLD(x)
#endif
#define LIKELY_VECTORISED _Pragma("omp simd")
#ifdef __clang__
#define UNROLLED _Pragma("unroll 4")
#else
#define UNROLLED _Pragma("GCC unroll 4")
#endif

#if defined(__GLIBC__) && defined(__x86_64__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define LANES __attribute__((simd("notinbranch")))
#endif
#endif
#ifndef LANES
#define LANES
#endif

#if BITS == 64
LANES double log(double);
LANES double sin(double);
LANES double cos(double);
LANES double log1p(double);
#define LOG1P log1p
#define RINT __builtin_rint
#define SQRT __builtin_sqrt
#define ABS __builtin_fabs
typedef int64_t bits;
#define LOWEST (-746.0)
#define LEAST (-708.0)
#define HIGHEST 710.0
#define SHIFTER 0x1.8p52
#define BIAS 1023.0
#define MANTISSA 52
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10
#else
LANES float logf(float);
LANES float sinf(float);
LANES float cosf(float);
LANES float log1pf(float);
#define LOG1P log1pf
#define RINT __builtin_rintf
#define SQRT __builtin_sqrtf
#define ABS __builtin_fabsf
typedef int32_t bits;
#define LOWEST (-104.0f)
#define LEAST (-87.0f)
#define HIGHEST 89.0f
#define SHIFTER 0x1.8p23f
#define BIAS 127.0f
#define MANTISSA 23
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-2.12194440e-4f)
#endif

/* 2ⁿ for an integer n in half the range of exponents. */
static inline __attribute__((always_inline)) real power(real n) {
  real t = n + (SHIFTER + (real)BIAS);
  bits i;
  __builtin_memcpy(&i, &t, sizeof i);
  i = (bits)((sizeof i == 8 ? (uint64_t)i : (uint64_t)(uint32_t)i) << MANTISSA);
  real p;
  __builtin_memcpy(&p, &i, sizeof p);
  return p;
}

/* eˣ = 2ⁿ eʳ with |r| ≤ ln 2 / 2 and a polynomial for eʳ; without branches, so that loops around it can be vectorised. */
struct split {
  real whole, rest;
};

static inline __attribute__((always_inline)) struct split split_power(real x) {
  real n = (x * (real)1.4426950408889634074 + SHIFTER) - SHIFTER;
  real r = (x - n * LN2_HIGH) - n * LN2_LOW;
  real s = r * r;
#if BITS == 64
  real q = s * s;
  real a = 1.0 + r, b = 0.5000000000000019 + r * 0.1666666666666668;
  real c = 0.04166666666648807 + r * 0.0083333333333196, d = 0.0013888888952321818 + r * 0.0001984126989005253;
  real e = 2.480148547478971e-05 + r * 2.755724091278181e-06, f = 2.763264242854867e-07 + r * 2.5110039751031143e-08;
  real p = (a + s * b) + q * ((c + s * d) + q * (e + s * f));
#else
  real a = 1.0f + r * 1.0000000377204035f, b = 0.5000000047122991f + r * 0.1666641549604781f;
  real c = 0.04166635287353722f + r * 0.008375127947279674f;
  real p = (a + s * b) + (s * s) * (c + s * 0.0013941110368767256f);
#endif
  return (struct split){n, p};
}

/* The ranges to which arguments are clamped: of eˣ from low to high, of the sigmoid from left to right. Compilers emit a single
 * instruction for the minimum of two numbers if neither is a constant, and in a loop only if both are loop-invariant. */
struct ends {
  real low, high, left, right;
};
#define ENDS                                                              \
  real low = LOWEST, high = HIGHEST, left = -(HIGHEST), right = -(LEAST); \
  HOLD(low) HOLD(high) HOLD(left) HOLD(right)                             \
  const struct ends ends = {low, high, left, right};

static inline __attribute__((always_inline)) real within(real x, real low, real high) {
  real y = high < x ? high : x;
  return y < low ? low : y;
}

static inline __attribute__((always_inline)) real exponential(real x, struct ends ends) {
  real y = within(x, ends.low, ends.high);
  struct split t = split_power(y);
  /* In two steps, as the power of 2 may be out of range for this precision. */
  real half = (t.whole * (real)0.5 + SHIFTER) - SHIFTER;
  return t.rest * power(half) * power(t.whole - half);
}

/* 1 / (1 + e⁻ˣ), where e⁻ˣ = 2ⁿ (c + r) / (c − r) with c = r coth(r / 2), which is even, so half of a polynomial suffices; the
 * division is needed anyway. The power of 2 overflows to infinity, and does not go below the least normal number: after 1 + …
 * that makes no difference. */
static inline __attribute__((always_inline)) real sigmoid(real x, struct ends ends) {
  real y = within(x, ends.left, ends.right);
  real n = (y * (real)-1.4426950408889634074 + SHIFTER) - SHIFTER;
  real r = (y + n * LN2_HIGH) + n * LN2_LOW;
  real s = r * r;
#if BITS == 64
  real q = s * s, d = -0.0027777777777564486 + s * 6.613756471665357e-05;
  real c = (2 + s * 0.1666666666666666) + q * (d + q * (-1.653406009991112e-06 + s * 4.143769423035882e-08));
#else
  real c = 2 + s * (0.16666654772769063f + s * -0.0027698538078411313f);
#endif
  real low = c + r, high = c - r;
  return low / (low + high * power(n));
}

static inline __attribute__((always_inline)) real softplus(real x, struct ends ends) {
  return ((x > 0) | (x != x) ? x : 0) + LOG1P(exponential(-ABS(x), ends));
}

/* A rational function near 0 (Cephes), otherwise 1 − 2 / (1 + e²ˣ). */
static inline __attribute__((always_inline)) real hyperbolic_tangent(real x, struct ends ends) {
  real z = x * x;
  real p = ((real)-9.64399179425052238628e-1 * z - (real)9.92877231001918586564e1) * z - (real)1.61468768441708447952e3;
  real q = ((z + (real)1.12811678491632931402e2) * z + (real)2.23548839060100448583e3) * z + (real)4.84406305325125486048e3;
  real near = x == 0 ? x : x + x * z * (p / q);
  real far = 1 - 2 * sigmoid(-2 * x, ends);
  return ABS(x) < (real)0.625 ? near : far;
}

static inline __attribute__((always_inline)) real signum(real x) { return x > 0 ? 1 : x < 0 ? -1 : x + 0; }
static inline __attribute__((always_inline)) real positive(real x) { return x > 0 ? 1 : 0; }
static inline __attribute__((always_inline)) real largest(real x, real y) { return (x > y) | (x != x) ? x : y; }
static inline __attribute__((always_inline)) real smallest(real x, real y) { return (x < y) | (x != x) ? x : y; }
static inline __attribute__((always_inline)) real equal(real x, real y) { return (x == y) | (x != x) ? 1 : 0; }
static inline __attribute__((always_inline)) real finite_or_zero(real x) { return x - x == 0 ? x : 0; }

/* Vectors of two to sixteen numbers: V as values, U in memory (unaligned), M as indices of lanes. */
#define VECTORS(n)                                                                                   \
  typedef real V##n __attribute__((vector_size(n * sizeof(real))));                                  \
  typedef real U##n __attribute__((vector_size(n * sizeof(real)), aligned(sizeof(real)), may_alias)); \
  typedef bits M##n __attribute__((vector_size(n * sizeof(real))));
VECTORS(2)
VECTORS(4)
VECTORS(8)
VECTORS(16)
#if defined(__clang__) || __GNUC__ >= 12
#define PICK(m, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define PICK(m, x, y, ...) __builtin_shuffle(x, y, (m){__VA_ARGS__})
#endif
/* Permutes the lanes of a vector. With constant indices, gcc 12 mistakes some permutations for moves within 128-bit lanes. */
#if defined(__AVX512F__) && !defined(__clang__)
#define SPREAD(m, x, ...)     \
  ({                          \
    m at = {__VA_ARGS__};     \
    HOLD(at)                  \
    __builtin_shuffle(x, at); \
  })
#else
#define SPREAD(m, x, ...) PICK(m, x, x, __VA_ARGS__)
#endif

/* Loads the first n lanes of the widest vector; the others are 0. */
#if defined(__AVX512F__) && !defined(__clang__) && BITS == 64
typedef V8 WHOLE;
#define FIRST(n, at) __builtin_ia32_loadupd512_mask(at, (V8){0}, (1 << (n)) - 1)
#define PUT_FIRST(n, at, value) __builtin_ia32_storeupd512_mask(at, value, (1 << (n)) - 1)
#elif defined(__AVX512F__) && !defined(__clang__)
typedef V16 WHOLE;
#define FIRST(n, at) __builtin_ia32_loadups512_mask(at, (V16){0}, (1 << (n)) - 1)
#define PUT_FIRST(n, at, value) __builtin_ia32_storeups512_mask(at, value, (1 << (n)) - 1)
#endif

typedef void kernel(void *const *);
struct row {
  kernel *run;
  void **arrays;
};
