/* Kernels that may run at the same time: kernel i of `count` takes the arrays from number `i * width` on. Behind them all is the
 * function of the driver that runs them by its threads, or 0 if there is none. */
typedef void parallel(kernel *const *each, void *const *array, long width, long count);

static void run_parallel(kernel *const *each, void *const *array, long width, long count) {
  parallel *run = (parallel *)array[width * count];
  if (run)
    run(each, array, width, count);
  else
    for (long i = 0; i < count; i++) each[i](array + i * width);
}
