/* The kernel of reductions, on parameters, output and argument. */
enum { SUM, LARGEST, POSITION };
struct reduction {
  double scale;
  /* What is done, whether several adjacent outputs are computed together, and the numbers of axes. */
  word fold, beside, outer, inner;
  /* Entries and strides of the last outer axis, if outputs are computed together; of the last inner axis otherwise. */
  word n, n_out, n_in;
  /* The outer axes (extent and two strides), and then the inner ones (extent and stride). */
  word rest[];
};
#define PARTIAL 16

INLINE real fold(word kind, real a, real b) { return kind == SUM ? a + b : largest(b, a); }

INLINE void fold_beside(const struct reduction *c, const word kind, real *o, const real *x, const word *inner) {
  const real start = kind == SUM ? 0 : -(real)__builtin_inf();
  for (word j = 0; j < c->n; j += STRIP) {
    const word n = c->n - j < STRIP ? c->n - j : STRIP;
    real m[STRIP];
    word index[AXES] = {0}, at[1] = {0};
    EACH m[i] = start;
    do {
      const real *from = x + j + at[0];
      EACH m[i] = fold(kind, m[i], from[i]);
    } while (next(index, inner, c->inner, 1, at));
    for (word i = 0; i < n; i++) o[(j + i) * c->n_out] = m[i] * (real)c->scale;
  }
}

INLINE void fold_along(const struct reduction *c, const word kind, real *o, const real *x, const word *inner) {
  const real start = kind == SUM ? 0 : -(real)__builtin_inf();
  real m[PARTIAL], rest = start;
  for (word i = 0; i < PARTIAL; i++) m[i] = start;
  word index[AXES] = {0}, at[1] = {0};
  do {
    const real *from = x + at[0];
    word j = 0;
    if (c->n_in == 1)
      for (; j + PARTIAL <= c->n; j += PARTIAL)
        LIKELY_VECTORISED
        for (word i = 0; i < PARTIAL; i++) m[i] = fold(kind, m[i], from[j + i]);
    for (; j < c->n; j++) rest = fold(kind, rest, from[j * c->n_in]);
  } while (next(index, inner, c->inner, 1, at));
  for (word half = PARTIAL / 2; half; half /= 2)
    for (word i = 0; i < half; i++) m[i] = fold(kind, m[i], m[i + half]);
  *o = fold(kind, m[0], rest) * (real)c->scale;
}

/* Positions are counted in row-major order, along all inner axes. */
INLINE void fold_position(const struct reduction *c, real *o, const real *x, const word *inner) {
  real m = -(real)__builtin_inf();
  word best = -1, count = 0, index[AXES] = {0}, at[1] = {0};
  do {
    const real *from = x + at[0];
    for (word j = 0; j < c->n; j++, count++) {
      AS_WRITTEN
      const real value = from[j * c->n_in];
      if (best < 0 || (m == m && !(value <= m))) {
        m = value;
        best = count;
      }
    }
  } while (next(index, inner, c->inner, 1, at));
  *o = best * (real)c->scale;
}

static void reduce(void *const *array) {
  const struct reduction *c = array[0];
  const word *inner = c->rest + 3 * c->outer;
  word index[AXES] = {0}, at[2] = {0};
  do {
    real *o = (real *)array[1] + at[0];
    const real *x = (const real *)array[2] + at[1];
    if (c->fold == POSITION) fold_position(c, o, x, inner);
    else if (c->beside && c->fold == SUM) fold_beside(c, SUM, o, x, inner);
    else if (c->beside) fold_beside(c, LARGEST, o, x, inner);
    else if (c->fold == SUM) fold_along(c, SUM, o, x, inner);
    else fold_along(c, LARGEST, o, x, inner);
  } while (next(index, c->rest, c->outer, 2, at));
}
