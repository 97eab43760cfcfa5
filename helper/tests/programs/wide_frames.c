/* All time 40 calls deep on a stack of 80 KiB and more: 2 KiB a frame. */
#include <stdint.h>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t descend(int depth)
{
	volatile uint8_t room[2048];
	room[depth] = (uint8_t)depth;
	uint64_t x = (uint64_t)depth;
	if (depth == 0) {
		for (int i = 0; i < 4000000; i++)
			x = x * 6364136223846793005u + 1; /* the work */
		return x;
	}
	x += descend(depth - 1); /* the recursion */
	return x ^ room[depth];
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		sink += descend(40);
	return 0;
}
