/* Works below a frame that is larger than what was ever written of it: pages in its middle are not there. */
#include <stdint.h>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t spend(void)
{
	uint64_t x = 1;
	for (uint64_t i = 0; i < 200000000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	return x;
}

__attribute__((noinline)) static void over_the_gap(void)
{
	volatile char room[16384];
	room[0] = room[sizeof(room) - 1] = 1;
	sink = spend() + room[0];
}

int main(void)
{
	over_the_gap();
	return 0;
}
