/* All time 1,500 calls deep, or as many as the first argument says. */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t descend(int depth)
{
	uint64_t x = (uint64_t)depth;
	if (depth == 0) {
		for (int i = 0; i < 1000000000; i++)
			x = x * 6364136223846793005u + 1;
		return x;
	}
	x += descend(depth - 1);
	return x ^ sink;
}

int main(int argc, char **argv)
{
	sink += descend(argc > 1 ? atoi(argv[1]) : 1500);
	return 0;
}
