/* W5: B signals of N0 entries through the U-net of RH Example 4.5 with C and D channels, one after the other. */
#include "signals.h"

#define N1 ((N0 - 2) / 2)
#define N2 ((N1 - 2) / 2)

/* The signals of one sample, named as in the reference; cotangents begin with d. */
SIGNAL(p, C, N0); SIGNAL(r, D, N1); SIGNAL(s, D, N2 + 2); SIGNAL(m, D, N2); SIGNAL(u, C + D, N1); SIGNAL(v, C, N1);
SIGNAL(z, C, N1); SIGNAL(y, C, N1); SIGNAL(f, 1 + C, N0); SIGNAL(h, 1, N0); SIGNAL(i, 1, N0); SIGNAL(o, 1, N0);
SIGNAL(di, 1, N0); SIGNAL(dh, 1, N0); SIGNAL(df, 1 + C, N0); SIGNAL(dy, C, N1); SIGNAL(dz, C, N1); SIGNAL(dv, C, N1);
SIGNAL(du, C + D, N1); SIGNAL(dm, D, N2); SIGNAL(ds, D, N2 + 2); SIGNAL(dr, D, N1); SIGNAL(dq, C, N1); SIGNAL(dp, C, N0);

enum {
    A = 0,
    A1 = A + C * 3,
    A2 = A1 + 1 + C,
    E = A2 + 3,
    E1 = E + D * C * 3,
    E2 = E1 + C * (C + D),
    BOTTOM = E2 + C * C * 3,
    WEIGHTS = BOTTOM + D * D * 3
};
static REAL g[WEIGHTS], turned[WEIGHTS];

/* Where entry j goes to in an upscaled signal, and which of the three entries from there are its own */
typedef struct {
    int from[N0], first[N1];
    REAL own[3][N1];
} Places;
static Places low, high;

static void place(Places *to, int n, int m) {
    int j = -1;
    for (int l = 0; l < m; l++) {
        to->from[l] = l * n / m;
        if (to->from[l] != j) to->first[j = to->from[l]] = l;
        to->own[l - to->first[j]][j] = 1;
    }
}

INLINE void upscale(ptrdiff_t channels, ptrdiff_t m, const Places *places, const REAL *x, ptrdiff_t ldx, REAL *to, ptrdiff_t ldt) {
    for (ptrdiff_t ch = 0; ch < channels; ch++)
        for (ptrdiff_t l = 0; l < m; l++) to[ch * ldt + l] = x[ch * ldx + places->from[l]];
}

INLINE void downscale(ptrdiff_t channels, ptrdiff_t n, const Places *places, const REAL *d, ptrdiff_t ldd, REAL *to, ptrdiff_t ldt) {
    for (ptrdiff_t ch = 0; ch < channels; ch++)
        for (ptrdiff_t j = 0; j < n; j++) {
            const REAL *in = d + ch * ldd + places->first[j];
            to[ch * ldt + j] = places->own[0][j] * in[0] + places->own[1][j] * in[1] + places->own[2][j] * in[2];
        }
}

INLINE void times(ptrdiff_t channels, ptrdiff_t n, const REAL *restrict a, ptrdiff_t lda, const REAL *restrict b, REAL *restrict to,
                  ptrdiff_t ld) {
    for (ptrdiff_t ch = 0; ch < channels; ch++)
        for (ptrdiff_t j = 0; j < n; j++) to[ch * ld + j] = a[ch * lda + j] * b[ch * ld + j];
}

static void sample(const REAL *w, const REAL *x, const REAL *t, REAL rate) {
    memcpy(OF(f), x, N0 * sizeof(REAL));
    convolve(C, 1, 3, N0 - 2, w + A, OF(f), ROW(N0), OF(p), ROW(N0));
    pool(C, N0 - 2, OF(p), ROW(N0), OF(u), ROW(N1));
    convolve(D, C, 3, N1 - 2, w + E, OF(u), ROW(N1), OF(r), ROW(N1));
    pool(D, N1 - 2, OF(r), ROW(N1), OF(s) + 1, ROW(N2 + 2));
    convolve(D, D, 3, N2, w + BOTTOM, OF(s), ROW(N2 + 2), OF(m), ROW(N2));
    upscale(D, N1, &low, OF(m), ROW(N2), OF(u) + C * ROW(N1), ROW(N1));
    convolve(C, C + D, 1, N1, w + E1, OF(u), ROW(N1), OF(v), ROW(N1));
    convolve(C, C, 3, N1 - 2, w + E2, OF(v), ROW(N1), OF(z), ROW(N1));
    for (ptrdiff_t ch = 0; ch < C; ch++) swish(N1 - 2, OF(z) + ch * ROW(N1), OF(y) + ch * ROW(N1) + 1);
    upscale(C, N0, &high, OF(y), ROW(N1), OF(f) + ROW(N0), ROW(N0));
    convolve(1, 1 + C, 1, N0, w + A1, OF(f), ROW(N0), OF(h), ROW(N0));
    convolve(1, 1, 3, N0 - 2, w + A2, OF(h), ROW(N0), OF(i), ROW(N0));
    swish(N0 - 2, OF(i), OF(o) + 1);

    for (ptrdiff_t j = 0; j < N0 - 2; j++) OF(di)[j] = rate * (OF(o)[j + 1] - t[j + 1]) * OF(i)[j];
    correlate(1, 1, 3, N0 - 2, OF(di), ROW(N0), OF(h), ROW(N0), g + A2);
    convolve(1, 1, 3, N0, turned + A2, OF(di) - 2, ROW(N0), OF(dh), ROW(N0));
    correlate(1, 1 + C, 1, N0, OF(dh), ROW(N0), OF(f), ROW(N0), g + A1);
    convolve(1 + C, 1, 1, N0, turned + A1, OF(dh), ROW(N0), OF(df), ROW(N0));
    downscale(C, N1, &high, OF(df) + ROW(N0), ROW(N0), OF(dy), ROW(N1));
    times(C, N1 - 2, OF(dy) + 1, ROW(N1), OF(z), OF(dz), ROW(N1));
    correlate(C, C, 3, N1 - 2, OF(dz), ROW(N1), OF(v), ROW(N1), g + E2);
    convolve(C, C, 3, N1, turned + E2, OF(dz) - 2, ROW(N1), OF(dv), ROW(N1));
    correlate(C, C + D, 1, N1, OF(dv), ROW(N1), OF(u), ROW(N1), g + E1);
    convolve(C + D, C, 1, N1, turned + E1, OF(dv), ROW(N1), OF(du), ROW(N1));
    downscale(D, N2, &low, OF(du) + C * ROW(N1), ROW(N1), OF(dm), ROW(N2));
    correlate(D, D, 3, N2, OF(dm), ROW(N2), OF(s), ROW(N2 + 2), g + BOTTOM);
    convolve(D, D, 3, N2 + 2, turned + BOTTOM, OF(dm) - 2, ROW(N2), OF(ds), ROW(N2 + 2));
    unpool(D, N1 - 2, OF(r), ROW(N1), OF(ds) + 1, ROW(N2 + 2), OF(dr), ROW(N1));
    correlate(D, C, 3, N1 - 2, OF(dr), ROW(N1), OF(u), ROW(N1), g + E);
    convolve(C, D, 3, N1, turned + E, OF(dr) - 2, ROW(N1), OF(dq), ROW(N1));
    for (ptrdiff_t j = 0; j < C * ROW(N1); j++) OF(dq)[j] += OF(du)[j];
    unpool(C, N0 - 2, OF(p), ROW(N0), OF(dq), ROW(N1), OF(dp), ROW(N0));
    correlate(C, 1, 3, N0 - 2, OF(dp), ROW(N0), OF(f), ROW(N0), g + A);
}

static void one(REAL *w, const REAL *x, const REAL *t, REAL rate) {
    turn(1, 1 + C, 1, w + A1, turned + A1);
    turn(1, 1, 3, w + A2, turned + A2);
    turn(D, C, 3, w + E, turned + E);
    turn(C, C + D, 1, w + E1, turned + E1);
    turn(C, C, 3, w + E2, turned + E2);
    turn(D, D, 3, w + BOTTOM, turned + BOTTOM);
    memset(g, 0, sizeof g);
    for (ptrdiff_t b = 0; b < B; b++) sample(w, x + b * N0, t + b * N0, rate);
    for (ptrdiff_t j = 0; j < WEIGHTS; j++) w[j] -= g[j];
}

void floor_train(REAL *w, const REAL *x, const REAL *t, REAL rate, long steps) {
    memset(&low, 0, sizeof low);
    memset(&high, 0, sizeof high);
    place(&low, N2, N1);
    place(&high, N1, N0);
    for (long s = 0; s < steps; s++) one(w, x, t, rate);
}
