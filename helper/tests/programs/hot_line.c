/* Nine tenths of the time on one line. */
#include <stdint.h>
#include <stdio.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void spend(uint64_t rounds)
{
	uint64_t x = rounds;
	for (uint64_t i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	sink = x;
}

__attribute__((noinline)) static void cold(void)
{
	spend(40000000); /* cold call */
	sink += 1; /* keeps the call from becoming a jump */
}

__attribute__((noinline)) static void hot(void)
{
	spend(360000000); /* hot call */
	sink += 1;
}

int main(void)
{
	cold();
	hot();
	printf("done %d\n", sink != 0);
	return 3;
}
