/* Signals: rows of n entries, each with zeros before and behind, so that windows may begin and end outside. */
#include "vectors.h"

#define MARGIN 16
#define ROW(n) (MARGIN + ((n) + 2 * MARGIN - 1) / MARGIN * MARGIN)
#define SIGNAL(name, channels, n) static REAL name##_rows[(channels) * ROW(n) + MARGIN] __attribute__((aligned(64)))
#define OF(name) (name##_rows + MARGIN)

#define WINDOWS(rows, columns)                                                                                   \
    do {                                                                                                          \
        V acc[rows][columns];                                                                                     \
        for (int i = 0; i < rows; i++)                                                                            \
            for (int j = 0; j < columns; j++) acc[i][j] = (V){0};                                                 \
        for (ptrdiff_t ch = 0; ch < c; ch++)                                                                      \
            for (ptrdiff_t tap = 0; tap < k; tap++) {                                                             \
                V right[columns];                                                                                 \
                for (int j = 0; j < columns; j++) {                                                               \
                    right[j] = at(x + ch * ldx + tap + col + j * LANES);                                          \
                    HELD(right[j]);                                                                               \
                }                                                                                                 \
                for (int i = 0; i < rows; i++) {                                                                  \
                    REAL left = w[((row + i) * c + ch) * k + tap];                                                \
                    for (int j = 0; j < columns; j++) acc[i][j] += left * right[j];                               \
                }                                                                                                 \
            }                                                                                                     \
        for (int i = 0; i < rows; i++)                                                                            \
            for (int j = 0; j < columns; j++) *(V *)(y + (row + i) * ldy + col + j * LANES) = acc[i][j];          \
    } while (0)

#define CHANNELS(columns)                                                                                        \
    do {                                                                                                          \
        ptrdiff_t row = 0;                                                                                        \
        for (; row + 4 <= d; row += 4) WINDOWS(4, columns);                                                       \
        for (; row < d; row++) WINDOWS(1, columns);                                                               \
    } while (0)

/* y[r, i] = Σ w[r, ch, tap] x[ch, i + tap]; the last vector overlaps the one before it */
INLINE void convolve(ptrdiff_t d, ptrdiff_t c, ptrdiff_t k, ptrdiff_t n, const REAL *w, const REAL *x, ptrdiff_t ldx, REAL *y,
                     ptrdiff_t ldy) {
    if (n < LANES) {
        for (ptrdiff_t r = 0; r < d; r++)
            for (ptrdiff_t i = 0; i < n; i++) {
                REAL s = 0;
                for (ptrdiff_t ch = 0; ch < c; ch++)
                    for (ptrdiff_t tap = 0; tap < k; tap++) s += w[(r * c + ch) * k + tap] * x[ch * ldx + i + tap];
                y[r * ldy + i] = s;
            }
        return;
    }
    ptrdiff_t col = 0;
    for (; col + 4 * LANES <= n; col += 4 * LANES) CHANNELS(4);
    for (; col + 2 * LANES <= n; col += 2 * LANES) CHANNELS(2);
    for (; col < n; col += LANES) {
        if (col + LANES > n) col = n - LANES;
        CHANNELS(1);
    }
}

#define TAPS(rows)                                                                                               \
    do {                                                                                                          \
        V acc[rows][k];                                                                                           \
        for (int r = 0; r < rows; r++)                                                                            \
            for (int tap = 0; tap < k; tap++) acc[r][tap] = (V){0};                                               \
        for (ptrdiff_t i = 0; i < n; i += LANES)                                                                  \
            for (int tap = 0; tap < k; tap++) {                                                                   \
                V right = at(x + ch * ldx + i + tap);                                                             \
                for (int r = 0; r < rows; r++) acc[r][tap] += at(y + (row + r) * ldy + i) * right;                \
            }                                                                                                     \
        for (int r = 0; r < rows; r++)                                                                            \
            for (int tap = 0; tap < k; tap++) g[((row + r) * c + ch) * k + tap] += sum(acc[r][tap]);            \
    } while (0)

/* g[r, ch, tap] += Σ y[r, i] x[ch, i + tap]: behind y stand zeros */
INLINE void correlate(ptrdiff_t d, ptrdiff_t c, const int k, ptrdiff_t n, const REAL *y, ptrdiff_t ldy, const REAL *x, ptrdiff_t ldx,
                      REAL *g) {
    for (ptrdiff_t ch = 0; ch < c; ch++) {
        ptrdiff_t row = 0;
        for (; row + 4 <= d; row += 4) TAPS(4);
        for (; row < d; row++) TAPS(1);
    }
}

/* The filters for the way back: v[ch, r, tap] = w[r, ch, k − 1 − tap] */
INLINE void turn(ptrdiff_t d, ptrdiff_t c, ptrdiff_t k, const REAL *w, REAL *v) {
    for (ptrdiff_t r = 0; r < d; r++)
        for (ptrdiff_t ch = 0; ch < c; ch++)
            for (ptrdiff_t tap = 0; tap < k; tap++) v[(ch * d + r) * k + tap] = w[(r * c + ch) * k + k - 1 - tap];
}

/* y[i] = max(x[2 i], x[2 i + 1]), for each of `channels` rows of n entries */
INLINE void pool(ptrdiff_t channels, ptrdiff_t n, const REAL *restrict x, ptrdiff_t ldx, REAL *restrict y, ptrdiff_t ldy) {
    for (ptrdiff_t ch = 0; ch < channels; ch++) {
        const REAL *restrict from = x + ch * ldx;
        REAL *restrict to = y + ch * ldy;
        for (ptrdiff_t i = 0; i < n / 2; i++) to[i] = from[2 * i] >= from[2 * i + 1] ? from[2 * i] : from[2 * i + 1];
        if (n % 2) to[n / 2] = from[n - 1];
    }
}

/* The cotangent of x from that of y: the first of the larger ones gets it */
INLINE void unpool(ptrdiff_t channels, ptrdiff_t n, const REAL *restrict x, ptrdiff_t ldx, const REAL *restrict d, ptrdiff_t ldd,
                   REAL *restrict to, ptrdiff_t ldt) {
    for (ptrdiff_t ch = 0; ch < channels; ch++) {
        const REAL *restrict from = x + ch * ldx, *restrict in = d + ch * ldd;
        REAL *restrict out = to + ch * ldt;
        for (ptrdiff_t i = 0; i < n / 2; i++) {
            const REAL first = from[2 * i] >= from[2 * i + 1] ? in[i] : 0;
            out[2 * i] = first;
            out[2 * i + 1] = in[i] - first;
        }
        if (n % 2) out[n - 1] = in[n / 2];
    }
}
