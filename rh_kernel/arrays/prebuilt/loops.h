/* The kernel of loops, and what the driver looks for: the kernels by their numbers, and the function that runs them. */
#define SHOWN __attribute__((visibility("default")))
struct loop {
  /* Of rounds, of launches in each, and of their arrays. */
  word rounds, launches, arrays;
  /* For each launch its kernel and its first array; for each array how far it moves from round to round, in bytes. */
  word rest[];
};
static void loop(void *const *);

SHOWN kernel *const rh_kernels[] = {KERNELS};
SHOWN const long rh_kernel_count = sizeof rh_kernels / sizeof *rh_kernels;

/* After the parameters, the arrays: the first is the place for those of a round. */
static void loop(void *const *array) {
  const struct loop *c = array[0];
  char **now = array[1];
  const word *moves = c->rest + 2 * c->launches;
  for (word i = 0; i < c->arrays; i++) now[i] = array[i + 2];
  for (word round = 0; round < c->rounds; round++) {
    for (word i = 0; i < c->launches; i++) rh_kernels[c->rest[2 * i]]((void *const *)now + c->rest[2 * i + 1]);
    for (word i = 0; i < c->arrays; i++) now[i] += moves[i];
  }
}

SHOWN void rh_walk(const struct row *row, long count) {
  for (const struct row *end = row + count; row < end; row++) row->run(row->arrays);
}

SHOWN void rh_long_walk(const struct row *row, long count) {
  const float_mode mode = get_float_mode();
  set_float_mode(mode | FLUSH);
  rh_walk(row, count);
  set_float_mode(mode);
}

/* The best level that the processor has, by its position among those of its kind. */
SHOWN int rh_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#define HAS(feature) __builtin_cpu_supports(#feature)
  if (!(HAS(avx2) && HAS(fma) && HAS(bmi) && HAS(bmi2))) return 0;
  return HAS(avx512f) && HAS(avx512vl) && HAS(avx512bw) && HAS(avx512dq) && HAS(avx512cd) ? 2 : 1;
#else
  return 0;
#endif
}
