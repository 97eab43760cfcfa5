/* All time in one function that calls itself, 40 deep. */
#include <stdint.h>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t descend(int depth)
{
	uint64_t x = (uint64_t)depth;
	if (depth == 0) {
		for (int i = 0; i < 4000000; i++)
			x = x * 6364136223846793005u + 1; /* the work */
		return x;
	}
	x += descend(depth - 1); /* the recursion */
	return x ^ sink;
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		sink += descend(40);
	return 0;
}
