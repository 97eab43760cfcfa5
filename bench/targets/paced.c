/* Calls a function CALLS times that works for 20, 40, 60, 80 or 100 us, in turns, and sleeps between the calls. Prints the CPU time of
 * the process in nanoseconds, and how much longer than that a call took by its own clock: half of them took less.
 *
 *   paced CALLS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LENGTHS = 5, STEP_NS = 20000, PAUSE_US = 300 };

static volatile unsigned long sink;

static long long now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;
	return (x > y) - (x < y);
}

__attribute__((noinline)) void worked(long long ns)
{
	long long end = now_ns(CLOCK_MONOTONIC) + ns;
	while (now_ns(CLOCK_MONOTONIC) < end)
		sink++;
}

int main(int count, char **arguments)
{
	long calls = count > 1 ? atol(arguments[1]) : 1;
	long long *more = calloc(calls, sizeof(*more));
	if (!more)
		return 1;
	for (long i = 0; i < calls; i++) {
		long long length = (1 + i % LENGTHS) * STEP_NS, start = now_ns(CLOCK_MONOTONIC);
		worked(length);
		more[i] = now_ns(CLOCK_MONOTONIC) - start - length;
		usleep(PAUSE_US);
	}
	qsort(more, calls, sizeof(*more), compare);
	printf("%lld\n{\"longerNs\":%lld}\n", now_ns(CLOCK_PROCESS_CPUTIME_ID), more[calls / 2]);
	return 0;
}
