/* Parameters of kernels: integers of 64 bits, behind the first address that a kernel is called with. */
#include <stddef.h>
#define INLINE static inline __attribute__((always_inline))
typedef int64_t word;
#define AXES 12

/* Moves to the next index of some axes, each an extent and a stride for each view; 0 after the last one. */
INLINE int next(word *index, const word *axes, word count, word views, word *at) {
  for (word i = count - 1; i >= 0; i--) {
    const word *axis = axes + i * (views + 1);
    for (word v = 0; v < views; v++) at[v] += axis[v + 1];
    if (++index[i] < axis[0]) return 1;
    for (word v = 0; v < views; v++) at[v] -= axis[0] * axis[v + 1];
    index[i] = 0;
  }
  return 0;
}

INLINE real number(word bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return (real)x;
}
