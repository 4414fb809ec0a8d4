/* The pool: threads that help the one that runs a launch table with the parts of a step. It is compiled together with the driver.
 *
 * There is one job at a time. Its ticket says which job it is, how many parts it has, and how many of them have been taken; a
 * part is taken by incrementing the ticket, so whoever has taken one knows that its job goes on until that part is done. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

typedef void kernel(void *const *);

enum { MOST_THREADS = 64, SPINS = 4000 };
#if defined(__x86_64__)
#define RELAX __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX __asm__ volatile("yield")
#else
#define RELAX
#endif

static struct {
  kernel *const *each;
  void *const *array;
  long width;
  float_mode mode;
  uint64_t ticket, serial;
  int64_t done, sleeping, threads, started, busy;
  pthread_mutex_t lock;
  pthread_cond_t woken;
} pool = {.threads = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};

static inline long taken_of(uint64_t ticket) { return ticket & 0xffff; }
static inline long count_of(uint64_t ticket) { return ticket >> 16 & 0xffff; }
static inline uint64_t current(void) { return __atomic_load_n(&pool.ticket, __ATOMIC_SEQ_CST); }

/* Does a part of the current job, if one is left. */
static int help(void) {
  uint64_t ticket = current();
  if (taken_of(ticket) >= count_of(ticket)) return 0;
  if (!__atomic_compare_exchange_n(&pool.ticket, &ticket, ticket + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return 1;
  long part = taken_of(ticket);
  set_float_mode(pool.mode);
  pool.each[part](pool.array + part * pool.width);
  __atomic_fetch_add(&pool.done, 1, __ATOMIC_RELEASE);
  return 1;
}

/* Waits actively for a while, since the next parallel step is often near, and then asleep. */
static void *helper(void *number) {
  for (long idle = 0;;) {
    if ((intptr_t)number < __atomic_load_n(&pool.threads, __ATOMIC_RELAXED) && help()) {
      idle = 0;
    } else if (idle++ < SPINS) {
      RELAX;
    } else {
      pthread_mutex_lock(&pool.lock);
      __atomic_fetch_add(&pool.sleeping, 1, __ATOMIC_SEQ_CST);
      uint64_t before = current();
      if (taken_of(before) >= count_of(before) || (intptr_t)number >= __atomic_load_n(&pool.threads, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&pool.woken, &pool.lock);
      __atomic_fetch_sub(&pool.sleeping, 1, __ATOMIC_SEQ_CST);
      pthread_mutex_unlock(&pool.lock);
      idle = 0;
    }
  }
  return NULL;
}

/* The threads of a process are not those of its child. */
static void forget_threads(void) {
  pool.started = pool.sleeping = pool.busy = pool.ticket = 0;
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.woken, NULL);
}

/* Starts the threads that are missing. Signals are for Python's main thread, apart from those that report a fault. */
static void start_threads(int64_t count) {
  static int registered = 0;
  if (!registered) registered = !pthread_atfork(NULL, NULL, forget_threads);
  sigset_t all, before;
  sigfillset(&all);
  const int faults[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool.started + 1 < count) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, helper, (void *)(intptr_t)(pool.started + 1))) {
      __atomic_store_n(&pool.threads, pool.started + 1, __ATOMIC_SEQ_CST);
      break;
    }
    pthread_detach(thread);
    pool.started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Runs the parts of a step. One at a time can have the threads; others, and steps within a part, run alone. */
__attribute__((visibility("default"))) void rh_parallel(kernel *const *each, void *const *array, long width, long count) {
  int64_t threads = __atomic_load_n(&pool.threads, __ATOMIC_SEQ_CST);
  if (threads < 2 || __atomic_exchange_n(&pool.busy, 1, __ATOMIC_ACQUIRE)) {
    for (long i = 0; i < count; i++) each[i](array + i * width);
    return;
  }
  if (pool.started + 1 < threads) start_threads(threads);
  pool.each = each;
  pool.array = array;
  pool.width = width;
  pool.mode = get_float_mode();
  __atomic_store_n(&pool.done, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&pool.ticket, ++pool.serial << 32 | (uint64_t)count << 16, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&pool.sleeping, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.woken);
    pthread_mutex_unlock(&pool.lock);
  }
  while (help()) {}
  for (long waited = 0; __atomic_load_n(&pool.done, __ATOMIC_ACQUIRE) < count; waited++)
    if (waited < SPINS) RELAX;
    else sched_yield();
  __atomic_store_n(&pool.busy, 0, __ATOMIC_RELEASE);
}

/* Sets how many threads a run may use, itself included. */
__attribute__((visibility("default"))) void rh_set_threads(int count) {
  __atomic_store_n(&pool.threads, count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count, __ATOMIC_SEQ_CST);
}
