/* W3: B signals of LENGTH entries through CH filters of WIDTH taps, swish, pooling by two, and a matrix with OUT rows. */
#include "signals.h"

#define M (LENGTH - WIDTH + 1)
#define P ((M + 1) / 2)
#define FLAT (CH * P)

SIGNAL(given, 1, LENGTH);
SIGNAL(cotangent, CH, M);
static REAL slopes[B][CH * M], swished[B][CH * M];
static REAL flat[B * FLAT] __attribute__((aligned(64)));
static REAL of_flat[B * FLAT] __attribute__((aligned(64)));
static REAL y[B * OUT], turned[OUT * FLAT];
static REAL g[CH * WIDTH];

static void one(REAL *w, const REAL *x, const REAL *t, REAL rate) {
    REAL *matrix = w + CH * WIDTH;
    for (ptrdiff_t b = 0; b < B; b++) {
        memcpy(OF(given), x + b * LENGTH, LENGTH * sizeof(REAL));
        convolve(CH, 1, WIDTH, M, w, OF(given), ROW(LENGTH), slopes[b], M);
        swish(CH * M, slopes[b], swished[b]);
        pool(CH, M, swished[b], M, flat + b * FLAT, P);
    }
    products_of_rows(B, OUT, FLAT, flat, matrix, y);
    for (ptrdiff_t j = 0; j < B * OUT; j++) y[j] = rate * (y[j] - t[j]);
    product(B, FLAT, OUT, y, OUT, 1, matrix, FLAT, of_flat, FLAT, 0);
    product(OUT, FLAT, B, y, 1, OUT, flat, FLAT, matrix, FLAT, -1);
    memset(g, 0, sizeof g);
    for (ptrdiff_t b = 0; b < B; b++) {
        memcpy(OF(given), x + b * LENGTH, LENGTH * sizeof(REAL));
        unpool(CH, M, swished[b], M, of_flat + b * FLAT, P, OF(cotangent), ROW(M));
        for (ptrdiff_t ch = 0; ch < CH; ch++)
            for (ptrdiff_t i = 0; i < M; i++) OF(cotangent)[ch * ROW(M) + i] *= slopes[b][ch * M + i];
        correlate(CH, 1, WIDTH, M, OF(cotangent), ROW(M), OF(given), ROW(LENGTH), g);
    }
    for (ptrdiff_t j = 0; j < CH * WIDTH; j++) w[j] -= g[j];
}

void floor_train(REAL *w, const REAL *x, const REAL *t, REAL rate, long steps) {
    for (long s = 0; s < steps; s++) one(w, x, t, rate);
}
