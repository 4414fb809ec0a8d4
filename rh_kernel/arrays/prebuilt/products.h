/* The kernels of contractions, on parameters, output, left, right and workspace; after the tiles. */

/* A block of columns: the tiles of a panel of rows, one below the other. */
INLINE void column(const struct contraction *c, tile *const *tiles, real *o, const real *l, const real *r, word right,
                          int packed, word rows) {
  word i = 0;
  for (; i + c->m_tile <= rows; i += c->m_tile) tiles[c->m_tile](c, o + i * c->m_out, l + i * c->m_left, r, right, packed);
  if (i < rows) tiles[rows - i](c, o + i * c->m_out, l + i * c->m_left, r, right, packed);
}

INLINE void lanes_panel(const struct contraction *c, real *o, const real *l, const real *r, word rows) {
  const word wide = c->n_tile * WIDE;
  word j = 0;
  for (; j + wide <= c->n; j += wide) column(c, lanes[c->n_tile], o + j * c->n_out, l, r + j, c->k_right, 0, rows);
  const word n = (c->n - j) / WIDE;
  if (n) {
    column(c, lanes[n], o + j * c->n_out, l, r + j, c->k_right, 0, rows);
    j += n * WIDE;
  }
  for (word half = WIDE / 2, which = 0; half; half /= 2, which++)
    if ((c->n - j) & half) {
      column(c, narrow[which], o + j * c->n_out, l, r + j, c->k_right, 0, rows);
      j += half;
    }
}

/* The same with the right factor copied to `w` for each block of columns, so that its lanes are adjacent. */
INLINE void packed_panel(const struct contraction *c, real *o, const real *l, const real *r, word rows, real *w) {
  const word *places = places_of(c);
  for (word j = 0; j < c->n;) {
    word left = c->n - j, vectors = left / WIDE, width = 0, which = 0;
    if (vectors) {
      vectors = vectors < c->n_tile ? vectors : c->n_tile;
      width = vectors * WIDE;
    } else {
      for (width = WIDE / 2; !(left & width); width /= 2) which++;
    }
    const real *from = r + j * c->n_right;
    real *to = w;
    for (word t = 0; t < c->places; t++)
      for (word k = 0; k < c->k; k++, to += width) {
        const real *row = from + places[2 * t + 1] + k * c->k_right;
        for (word e = 0; e < width; e++) to[e] = row[e * c->n_right];
      }
    column(c, vectors ? lanes[vectors] : narrow[which], o + j * c->n_out, l, w, width, 1, rows);
    j += width;
  }
}

INLINE void parts_panel(const struct contraction *c, real *o, const real *l, const real *r, word rows) {
  word j = 0;
  for (; j + c->n_tile <= c->n; j += c->n_tile)
    column(c, parts[c->n_tile], o + j * c->n_out, l, r + j * c->n_right, c->n_right, 0, rows);
  if (j < c->n) column(c, parts[c->n - j], o + j * c->n_out, l, r + j * c->n_right, c->n_right, 0, rows);
}

#define OUTER_LOOPS(PANEL)                                                                                    \
  const struct contraction *c = array[0];                                                                     \
  real *o = array[1];                                                                                         \
  const real *l = array[2], *r = array[3];                                                                    \
  word index[AXES] = {0}, at[3] = {0};                                                                        \
  do {                                                                                                        \
    for (word i = 0; i < c->m; i += c->m_panel) {                                                             \
      word rows = c->m - i < c->m_panel ? c->m - i : c->m_panel;                                              \
      PANEL(c, o + at[0] + i * c->m_out, l + at[1] + i * c->m_left, r + at[2], rows);                         \
    }                                                                                                         \
  } while (next(index, c->rest, c->outer, 3, at));

static void contract_lanes(void *const *array) { OUTER_LOOPS(lanes_panel) }
static void contract_parts(void *const *array) { OUTER_LOOPS(parts_panel) }
#define PACKED(...) packed_panel(__VA_ARGS__, array[4])
static void contract_packed(void *const *array) { OUTER_LOOPS(PACKED) }

/* A single tile. */
static void contract_lanes_tile(void *const *array) {
  const struct contraction *c = array[0];
  lanes[c->n_tile][c->m](c, array[1], array[2], array[3], c->k_right, 0);
}
static void contract_parts_tile(void *const *array) {
  const struct contraction *c = array[0];
  parts[c->n_tile][c->m](c, array[1], array[2], array[3], c->n_right, 0);
}

/* Products without sums: rows of adjacent outputs, each a multiple of the right factor. */
INLINE void multiple(real *o, const real *r, const real x, const int accumulate) {
  const WHOLE_VECTOR y = x * *(const VECTOR_IN_MEMORY *)r;
  if (accumulate) *(VECTOR_IN_MEMORY *)o += y;
  else *(VECTOR_IN_MEMORY *)o = y;
}
INLINE void multiples(real *o, const real *r, const real x, const word n, const int accumulate) {
  word j = 0;
  for (; j + 4 * WIDE <= n; j += 4 * WIDE)
    UNROLLED
    for (word e = 0; e < 4; e++) multiple(o + j + e * WIDE, r + j + e * WIDE, x, accumulate);
  for (; j + WIDE <= n; j += WIDE) multiple(o + j, r + j, x, accumulate);
  for (; j < n; j++) o[j] = accumulate ? o[j] + x * r[j] : x * r[j];
}
INLINE void rows_panel(const struct contraction *c, real *o, const real *l, const real *r, word rows) {
  const real scale = (real)c->scale;
  const word n = c->n, accumulate = c->accumulate, out = c->m_out, left = c->m_left;
  if (accumulate)
    for (word i = 0; i < rows; i++) multiples(o + i * out, r, scale * l[i * left], n, 1);
  else
    for (word i = 0; i < rows; i++) multiples(o + i * out, r, scale * l[i * left], n, 0);
}
static void contract_rows(void *const *array) { OUTER_LOOPS(rows_panel) }

/* Adds each term to memory: whatever the strides. The last axis is the inner loop. */
static void contract_any(void *const *array) {
  const struct contraction *c = array[0];
  real *o = array[1];
  const real *l = array[2], *r = array[3], scale = (real)c->scale;
  word index[AXES] = {0}, at[3] = {0};
  do {
    real *to = o + at[0];
    const real *x = l + at[1], *y = r + at[2];
    if (c->n_out == 0) {
      real sum = 0;
      for (word k = 0; k < c->n; k++) sum += x[k * c->k_left] * y[k * c->k_right];
      *to += scale * sum;
    } else {
      for (word k = 0; k < c->n; k++) to[k * c->n_out] += scale * (x[k * c->k_left] * y[k * c->k_right]);
    }
  } while (next(index, c->rest, c->outer, 3, at));
}
