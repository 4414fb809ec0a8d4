/* Runs a launch table from a file, on memory from that file, and writes the memory to another: for an emulated processor. */
#include <stdio.h>
#include <stdlib.h>

static int64_t word_of(FILE *file) {
  int64_t word;
  if (fread(&word, sizeof word, 1, file) != 1) exit(2);
  return word;
}

int main(int count, char **names) {
  FILE *in = fopen(names[1], "rb"), *out = fopen(names[2], "wb");
  if (count != 3 || !in || !out) return 2;
  const int64_t row_count = word_of(in), address_count = word_of(in), region_count = word_of(in);
  struct row *rows = malloc((row_count + 1) * sizeof *rows);
  void **addresses = malloc((address_count + 1) * sizeof *addresses);
  char **regions = malloc(region_count * sizeof *regions);
  int64_t *sizes = malloc(region_count * sizeof *sizes);
  for (int64_t i = 0; i < region_count; i++) {
    sizes[i] = word_of(in);
    regions[i] = aligned_alloc(64, (sizes[i] + 127) / 64 * 64);
    if (fread(regions[i], 1, sizes[i], in) != (size_t)sizes[i]) return 2;
  }
  for (int64_t i = 0; i < address_count; i++) {
    const int64_t region = word_of(in);
    addresses[i] = regions[region] + word_of(in);
  }
  for (int64_t i = 0; i < row_count; i++) {
    rows[i].run = rh_kernels[word_of(in)];
    rows[i].arrays = addresses + word_of(in);
  }
  rh_walk(rows, row_count);
  for (int64_t i = 0; i < region_count; i++) fwrite(regions[i], 1, sizes[i], out);
  return fclose(out);
}
