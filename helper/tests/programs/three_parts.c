/* Three parts, one after the other: the second takes the given percentage of what each of the others takes (some 25 ms). */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

static const long ROUNDS = 25000000;

/* Each its own loop, so that the time is its own and not that of an inlined function. */
#define PART(name, seed, rounds)                                  \
	__attribute__((noinline)) static void name(long percent)  \
	{                                                         \
		uint64_t x = (uint64_t)percent + seed;            \
		for (long i = 0; i < (rounds); i++)               \
			x = x * 6364136223846793005u + 1;         \
		sink = x;                                         \
	}
PART(first_part, 1, ROUNDS)
PART(second_part, 2, ROUNDS / 100 * percent)
PART(third_part, 3, ROUNDS)

int main(int argc, char **argv)
{
	long percent = argc > 1 ? atol(argv[1]) : 100;
	first_part(percent);
	second_part(percent);
	third_part(percent);
	return 0;
}
