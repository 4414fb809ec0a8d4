/* Numbers nearer to 0 than the least normal one. Processors compute with them up to a hundred times slower, and gradients that
 * vanish over many rounds consist of them, so a long run takes them for 0. */
#if defined(__x86_64__)
typedef unsigned int float_mode;
enum { FLUSH = 0x8040 };
static inline float_mode get_float_mode(void) { return __builtin_ia32_stmxcsr(); }
static inline void set_float_mode(float_mode mode) { __builtin_ia32_ldmxcsr(mode); }
#elif defined(__aarch64__)
typedef unsigned long float_mode;
enum { FLUSH = 1 << 24 };
static inline float_mode get_float_mode(void) {
  float_mode mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
static inline void set_float_mode(float_mode mode) { __asm__ volatile("msr fpcr, %0" ::"r"(mode)); }
#else
typedef int float_mode;
enum { FLUSH = 0 };
static inline float_mode get_float_mode(void) { return 0; }
static inline void set_float_mode(float_mode mode) { (void)mode; }
#endif
