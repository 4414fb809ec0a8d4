/* W1, W2, W4: B samples through N0 -> N1 (if ENTER), DEPTH layers N1 -> N1, and N1 -> N2 (if LEAVE, without swish).
 *
 * The weights stand one after the other. A training run is a loop here, so that a step costs no call from outside. */
#include "vectors.h"

#define LAYERS (ENTER + DEPTH + LEAVE)
#define WIDEST (N1 > N2 ? N1 : N2)
#define LAST (LEAVE ? N2 : N1)

static REAL kept[LAYERS + 1][B * WIDEST] __attribute__((aligned(64)));   /* what goes into each layer */
static REAL slopes[LAYERS + 1][B * WIDEST] __attribute__((aligned(64))); /* z, then swish'(z) */
static REAL cotangents[2][B * WIDEST] __attribute__((aligned(64)));
static REAL dz[B * WIDEST] __attribute__((aligned(64)));
static REAL turned[N1 * (ENTER && N0 > N1 ? N0 : WIDEST)] __attribute__((aligned(64)));

INLINE void forward(ptrdiff_t m, ptrdiff_t n, const REAL *w, const REAL *x, REAL *z) {
    if (B == 1 && n <= LANES) {
        for (ptrdiff_t i = 0; i < m; i++) {
            REAL s = 0;
            for (ptrdiff_t j = 0; j < n; j++) s += w[i * n + j] * x[j];
            z[i] = s;
        }
    } else if (B == 1 || n >= 16 * LANES) {
        products_of_rows(B, m, n, x, w, z);
    } else {
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) turned[j * m + i] = w[i * n + j];
        product(B, m, n, x, n, 1, turned, m, z, m, 0);
    }
}

/* dx = d w, or dx += d w where it is residual, if it is wanted; and w -= dᵀ x: one pass over the weights for one sample */
INLINE void backward(ptrdiff_t m, ptrdiff_t n, REAL *restrict w, const REAL *restrict x, const REAL *restrict d,
                     REAL *restrict dx, int wanted, int residual) {
    if (B == 1) {
        if (wanted && !residual) memset(dx, 0, n * sizeof(REAL));
        ptrdiff_t i = 0;
        for (; i + 4 <= m; i += 4) {
            REAL *restrict w0 = w + i * n, *restrict w1 = w0 + n, *restrict w2 = w1 + n, *restrict w3 = w2 + n;
            const REAL d0 = d[i], d1 = d[i + 1], d2 = d[i + 2], d3 = d[i + 3];
            if (wanted)
                for (ptrdiff_t j = 0; j < n; j++) dx[j] += d0 * w0[j] + d1 * w1[j] + d2 * w2[j] + d3 * w3[j];
            for (ptrdiff_t j = 0; j < n; j++) {
                w0[j] -= d0 * x[j];
                w1[j] -= d1 * x[j];
                w2[j] -= d2 * x[j];
                w3[j] -= d3 * x[j];
            }
        }
        for (i = m - m % 4; m % 4 && i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) {
                if (wanted) dx[j] += d[i] * w[i * n + j];
                w[i * n + j] -= d[i] * x[j];
            }
    } else {
        if (wanted) product(B, n, m, d, m, 1, w, n, dx, n, residual);
        if (B * m >= 1 << 16) {
            static REAL columns[B * WIDEST] __attribute__((aligned(64)));
            for (ptrdiff_t i = 0; i < B; i++)
                for (ptrdiff_t j = 0; j < m; j++) columns[j * B + i] = d[i * m + j];
            product(m, n, B, columns, B, 1, x, n, w, n, -1);
        } else {
            product(m, n, B, d, 1, m, x, n, w, n, -1);
        }
    }
}

/* The output of layer i from z, and swish'(z) in place of z */
INLINE void active(int i, ptrdiff_t m, const REAL *x) {
    swish(B * m, slopes[i], kept[i + 1]);
    if (RESIDUAL)
        for (ptrdiff_t j = 0; j < B * m; j++) kept[i + 1][j] += x[j];
}

static void one(REAL *w, const REAL *x, const REAL *t, REAL rate) {
    REAL *v = w;
    const REAL *in = x;
    int i = 0;
    if (ENTER) {
        forward(N1, N0, v, in, slopes[0]);
        active(0, N1, in);
        v += N1 * N0, in = kept[++i];
    }
    for (int l = 0; l < DEPTH; l++) {
        forward(N1, N1, v, in, slopes[i]);
        active(i, N1, in);
        v += N1 * N1, in = kept[++i];
    }
    const REAL *y = in;
    if (LEAVE) forward(N2, N1, v, in, slopes[i]), y = slopes[i];
    REAL *d = cotangents[0], *other = cotangents[1];
    for (ptrdiff_t j = 0; j < B * LAST; j++) d[j] = rate * (y[j] - t[j]);
    if (LEAVE) {
        backward(N2, N1, v, in, d, other, 1, 0);
        REAL *const was = d;
        d = other, other = was;
    }
    for (int l = 0; l < DEPTH; l++) {
        i--, v -= N1 * N1;
        in = i ? kept[i] : x;
        for (ptrdiff_t j = 0; j < B * N1; j++) dz[j] = d[j] * slopes[i][j];
        backward(N1, N1, v, in, dz, d, i > 0, RESIDUAL);
    }
    if (ENTER) {
        for (ptrdiff_t j = 0; j < B * N1; j++) dz[j] = d[j] * slopes[0][j];
        backward(N1, N0, w, x, dz, 0, 0, 0);
    }
}

void floor_train(REAL *w, const REAL *x, const REAL *t, REAL rate, long steps) {
    for (long s = 0; s < steps; s++) one(w, x, t, rate);
}
