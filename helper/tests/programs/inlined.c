/* The work is inlined into its caller. */
#include <stdint.h>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) uint64_t inlined_work(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	return x;
}

int main(void)
{
	uint64_t x = 1;
	for (int i = 0; i < 400000; i++)
		x = inlined_work(x); /* the call site */
	sink = x;
	return 0;
}
