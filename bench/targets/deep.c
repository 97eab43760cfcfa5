/* Recursion of known depth, with the work at its bottom: every sample has DEPTH frames of `descend` above `work`.
 * With `kernel` as third argument half of the work is system calls, so that samples have a kernel stack, too.
 *
 *   deep DEPTH MILLISECONDS [kernel]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ended.h"

static int in_kernel;
static unsigned long long deadline_ns;

static unsigned long long cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

__attribute__((noinline)) static unsigned long work(unsigned long x) {
  do {
    for (int i = 0; i < 20000; ++i) x = x * 6364136223846793005ull + (x >> 33);
    if (in_kernel) {
      char bytes[512];
      for (int i = 0; i < 25; ++i) x += syscall(SYS_getrandom, bytes, sizeof bytes, 0) + bytes[0];
    }
  } while (cpu_ns() < deadline_ns);
  return x;
}

__attribute__((noinline)) static unsigned long descend(int depth, unsigned long x) {
  if (depth <= 1) return work(x) + 1;
  volatile unsigned long kept = descend(depth - 1, x + depth); /* volatile: no tail call */
  return kept + depth;
}

int main(int argc, char **argv) {
  const int depth = argc > 1 ? atoi(argv[1]) : 1500;
  deadline_ns = (argc > 2 ? atoll(argv[2]) : 1000) * 1000000ull;
  in_kernel = argc > 3 && strcmp(argv[3], "kernel") == 0;
  print_end(descend(depth, 1));
}
