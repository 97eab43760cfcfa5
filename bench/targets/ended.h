/* What every measured C program prints at its end: its own CPU time and the wall clock, in nanoseconds. */
#pragma once
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static inline unsigned long long timeval_ns(struct timeval t) { return t.tv_sec * 1000000000ull + t.tv_usec * 1000ull; }

static inline void print_end(unsigned long long sum) {
  struct rusage used;
  struct timespec now;
  getrusage(RUSAGE_SELF, &used);
  clock_gettime(CLOCK_REALTIME, &now);
  printf("{\"sum\":\"%llx\",\"cpuNs\":%llu,\"endedNs\":\"%llu\"}\n", sum, timeval_ns(used.ru_utime) + timeval_ns(used.ru_stime),
         now.tv_sec * 1000000000ull + now.tv_nsec);
}
