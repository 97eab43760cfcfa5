/* Eight functions of unequal cost, some 0.5 s together. Arguments: the number (0 to 7) of one of them, and by how many
 * percent more work it does. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile uint64_t sink;
static long percent[8];

/* Each its own loop, so that the time is its own and not that of an inlined function. */
#define PART(number, rounds)                                                  \
	__attribute__((noinline)) static void part_##number(void)             \
	{                                                                     \
		uint64_t x = number + 1;                                      \
		long limit = (rounds) / 100 * (100 + percent[number]);        \
		for (long i = 0; i < limit; i++)                              \
			x = x * 6364136223846793005u + 1;                     \
		sink = x;                                                     \
	}
PART(0, 900000)
PART(1, 700000)
PART(2, 500000)
PART(3, 400000)
PART(4, 300000)
PART(5, 200000)
PART(6, 100000)
PART(7, 60000)

int main(int argc, char **argv)
{
	int slower = argc > 1 ? atoi(argv[1]) : 0;
	if (slower < 0 || slower > 7) {
		fprintf(stderr, "parts: wanted the number of a part, 0 to 7\n");
		return 2;
	}
	percent[slower] = argc > 2 ? atol(argv[2]) : 0;
	for (int round = 0; round < 150; round++) {
		part_0();
		part_1();
		part_2();
		part_3();
		part_4();
		part_5();
		part_6();
		part_7();
	}
	return 0;
}
