/* The kernel of maps: it interprets a body on a strip of numbers at a time, so each instruction is a vectorised loop. */

struct map {
  /* How many outer axes, entries along the inner axis, views, constants, temporary strips and instructions. */
  word outer, n, views, constants, slots, instructions;
  /* For each outer axis its extent and a stride for each view; then the strides of the views along the inner axis; for each
   * instruction the operation, where its result goes, and two operands. These are numbers of views, then of constants, which
   * are strips, too, then of temporary strips. */
  word rest[];
};
#define EACH LIKELY_VECTORISED for (word i = 0; i < n; i++)

static __attribute__((noinline)) void interpret(const word *line, word count, real *const *p, const word *strides, const word n) {
  ENDS
  for (; count; count--, line += 4) {
    real *z = p[line[1]];
    const real *x = p[line[2]], *y = p[line[3]];
    switch (line[0]) {
      case LOAD: {
        const word stride = strides[line[2]];
        if (stride == 0) {
          const real value = *x;
          EACH z[i] = value;
        } else if (stride == 2) {
          EACH z[i] = x[2 * i];
        } else {
          for (word i = 0; i < n; i++) z[i] = x[i * stride];
        }
        break;
      }
      case STORE: {
        const word stride = strides[line[1]];
        for (word i = 0; i < n; i++) z[i * stride] = x[i];
        break;
      }
      case ZIP: EACH {
        const real first = x[i], second = y[i];
        z[2 * i] = first;
        z[2 * i + 1] = second;
      } break;
      case COPY: EACH z[i] = x[i]; break;
      OPERATIONS
    }
  }
}

static void map(void *const *array) {
  const struct map *c = array[0];
  const word views = c->views, fixed = views + c->constants, n = c->n;
  const word *axes = c->rest, *strides = axes + c->outer * (views + 1), *lines = strides + views;
  real slots[c->slots + 1][STRIP] __attribute__((aligned(64))), *p[fixed + c->slots];
  for (word v = 0; v < fixed; v++) p[v] = array[v + 1];
  for (word s = 0; s < c->slots; s++) p[fixed + s] = slots[s];
  if (!c->outer && n <= STRIP) {
    interpret(lines, c->instructions, p, strides, n);
    return;
  }
  word index[AXES] = {0}, at[views];
  for (word v = 0; v < views; v++) at[v] = 0;
  do {
    for (word start = 0; start < n; start += STRIP) {
      for (word v = 0; v < views; v++) p[v] = (real *)array[v + 1] + at[v] + start * strides[v];
      interpret(lines, c->instructions, p, strides, n - start < STRIP ? n - start : STRIP);
    }
  } while (next(index, axes, c->outer, views, at));
}
