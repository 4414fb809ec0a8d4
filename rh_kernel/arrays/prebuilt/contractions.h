/* Contractions: outer loops around a product of matrices, whose tiles (`tiles.py`) stay in registers while the terms are added.
 *
 * Along the rows, the right factor does not move, and along the columns, the left one does not. Either the lanes of a vector are
 * adjacent columns (LANES), or partial sums of one output (PARTS). The summed axes are one axis, repeated from each of several
 * places. */
struct contraction {
  double scale;
  word accumulate, outer;
  /* Rows and columns of the output, and of a tile; a panel of rows fits the second-level cache. */
  word m, m_tile, m_panel, m_out, m_left;
  word n, n_tile, n_out, n_right;
  word k, k_left, k_right, places;
  /* The outer axes (extent and three strides), and then the places (left and right). */
  word rest[];
};
typedef void tile(const struct contraction *, real *, const real *, const real *, word, int);

/* How the sums of a tile are stored, read from the parameters before anything is written. */
struct finish {
  real scale;
  word accumulate, m_out, n_out;
};
INLINE struct finish finish_of(const struct contraction *c) {
  return (struct finish){(real)c->scale, c->accumulate, c->m_out, c->n_out};
}

INLINE void put(const struct finish f, real *o, real x) { *o = f.accumulate ? *o + f.scale * x : f.scale * x; }
/* The same for adjacent columns that may lie apart. */
INLINE void put_apart(const struct finish f, real *o, const real *x, word n) {
  for (word e = 0; e < n; e++) put(f, o + e * f.n_out, x[e]);
}
INLINE void put_four(const struct finish f, real *o, const real *x) {
  V4 y = f.scale * *(const U4 *)x;
  if (f.accumulate) y += *(U4 *)o;
  *(U4 *)o = y;
}

INLINE V2 halves4(V4 x) { return __builtin_shufflevector(x, x, 0, 1) + __builtin_shufflevector(x, x, 2, 3); }
INLINE V4 halves8(V8 x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7); }
INLINE V8 halves16(V16 x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}
INLINE real total2(V2 x) { return x[0] + x[1]; }
INLINE real total4(V4 x) { return total2(halves4(x)); }
INLINE real total8(V8 x) { return total4(halves8(x)); }
INLINE real total16(V16 x) { return total8(halves16(x)); }
INLINE void totals2(real *to, V2 a, V2 b, V2 c, V2 d) {
  *(U2 *)to = __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
  *(U2 *)(to + 2) = __builtin_shufflevector(c, d, 0, 2) + __builtin_shufflevector(c, d, 1, 3);
}
INLINE void totals4(real *to, V4 a, V4 b, V4 c, V4 d) {
  V4 x = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  V4 y = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *(U4 *)to = __builtin_shufflevector(x, y, 0, 1, 4, 5) + __builtin_shufflevector(x, y, 2, 3, 6, 7);
}
INLINE void totals8(real *to, V8 a, V8 b, V8 c, V8 d) { totals4(to, halves8(a), halves8(b), halves8(c), halves8(d)); }
INLINE void totals16(real *to, V16 a, V16 b, V16 c, V16 d) {
  totals8(to, halves16(a), halves16(b), halves16(c), halves16(d));
}

INLINE const word *places_of(const struct contraction *c) { return c->rest + 4 * c->outer; }
