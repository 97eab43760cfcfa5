/* Work that grows with the argument N: in proportion, with its square, and not at all. */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

/* Each its own loop, so that the time is its own and not that of an inlined function. */
#define LOOP(name, rounds)                                        \
	__attribute__((noinline)) static void name(long n)        \
	{                                                         \
		uint64_t x = (uint64_t)n;                         \
		for (long i = 0; i < (rounds); i++)               \
			x = x * 6364136223846793005u + 1;         \
		sink = x;                                         \
	}
LOOP(linear, 2000000 * n)
LOOP(square, 100000 * n * n)
LOOP(flat, 30000000 + 0 * n)

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10;
	linear(n);
	square(n);
	flat(n);
	return 0;
}
