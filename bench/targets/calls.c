/* Calls a function CALLS times that begins with a test and a branch. Prints the CPU time of the process, in nanoseconds.
 *
 *   calls CALLS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) void called(unsigned long n)
{
	if (n & 1)
		sink += n;
}

int main(int count, char **arguments)
{
	long calls = count > 1 ? atol(arguments[1]) : 0;
	struct timespec used;
	for (long i = 0; i < calls; i++)
		called(i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%lld\n", used.tv_sec * 1000000000LL + used.tv_nsec);
	return 0;
}
