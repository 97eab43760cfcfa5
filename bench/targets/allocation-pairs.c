/* Allocates and frees PAIRS blocks of 16 to 79 bytes, of which 64 are held at a time. Prints the CPU time of that, in nanoseconds.
 *
 *   allocation-pairs PAIRS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HELD = 64, SMALLEST = 16 };

static long long cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int count, char **arguments)
{
	long pairs = count > 1 ? atol(arguments[1]) : 0;
	void *volatile held[HELD] = {0};
	long long start = cpu_ns();
	for (long i = 0; i < pairs; i++) {
		free(held[i % HELD]);
		held[i % HELD] = malloc(SMALLEST + i * 7 % HELD);
	}
	printf("%lld\n", cpu_ns() - start);
	return 0;
}
