/* The kernels of gathers, on parameters, output, argument and table or index; and that of loops. */
struct gather {
  /* The number of outer axes; the entries of the output and the terms of each; whether none is missing; the strides of output
   * and argument. */
  word outer, n, terms, whole, n_out, n_in;
  word rest[];
};

static void gather(void *const *array) {
  const struct gather *c = array[0];
  const int32_t *table = array[3];
  word index[AXES] = {0}, at[2] = {0};
  do {
    real *o = (real *)array[1] + at[0];
    const real *x = (const real *)array[2] + at[1];
    if (c->whole && c->terms == 1) {
      const word n = c->n, n_out = c->n_out, n_in = c->n_in;
      UNROLLED
      for (word j = 0; j < n; j++) o[j * n_out] = x[table[j] * n_in];
      continue;
    }
    for (word j = 0; j < c->n; j++) {
      AS_WRITTEN
      const int32_t *terms = table + j * c->terms;
      real sum = c->terms == 1 ? (real)-0.0 : 0;
      for (word t = 0; t < c->terms; t++) {
        AS_WRITTEN
        if (terms[t] >= 0) sum += x[terms[t] * c->n_in];
      }
      o[j * c->n_out] = sum;
    }
  } while (next(index, c->rest, c->outer, 2, at));
}

struct rows {
  /* The numbers of axes along which rows differ, and of further ones; of rows, and from one to the next. */
  word outer, inner, rows, row;
  /* The axes have strides of output, argument and index. */
  word rest[];
};

INLINE word row_of(const struct rows *c, const real *index) {
  const real number = RINT(*index);
  return number > 0 ? number < c->rows - 1 ? (word)number : c->rows - 1 : 0;
}

static void gather_at(void *const *array) {
  const struct rows *c = array[0];
  const word *inner = c->rest + 4 * c->outer;
  word index[AXES] = {0}, at[3] = {0};
  do {
    const word row = row_of(c, (const real *)array[3] + at[2]);
    word j[AXES] = {0}, to[3] = {at[0], at[1] + row * c->row, 0};
    do ((real *)array[1])[to[0]] = ((const real *)array[2])[to[1]];
    while (next(j, inner, c->inner, 3, to));
  } while (next(index, c->rest, c->outer, 3, at));
}

/* The output has been cleared. */
static void scatter_add(void *const *array) {
  const struct rows *c = array[0];
  const word *inner = c->rest + 4 * c->outer;
  word index[AXES] = {0}, at[3] = {0};
  do {
    const word row = row_of(c, (const real *)array[3] + at[2]);
    word j[AXES] = {0}, to[3] = {at[0] + row * c->row, at[1], 0};
    do ((real *)array[1])[to[0]] += ((const real *)array[2])[to[1]];
    while (next(j, inner, c->inner, 3, to));
  } while (next(index, c->rest, c->outer, 3, at));
}

struct check {
  /* The number of the check, from 1, of rows, and of axes. */
  word number, rows, outer;
  word rest[];
};

/* On the index and the status, where it notes the first check that fails and the wrong entry. */
static void index_check(void *const *array) {
  const struct check *c = array[0];
  real *status = array[2];
  word index[AXES] = {0}, at[1] = {0};
  do {
    const real x = ((const real *)array[1])[at[0]];
    if (!(x >= 0 && x < c->rows && x == RINT(x)) && status[0] == 0) {
      status[0] = c->number;
      status[1] = x;
    }
  } while (next(index, c->rest, c->outer, 1, at));
}
