/* What every generated library ends with: the walk along a table of kernels and their arrays. */
__attribute__((visibility("default"))) void rh_walk(const struct row *row, long count) {
  for (const struct row *end = row + count; row < end; row++) row->run(row->arrays);
}
