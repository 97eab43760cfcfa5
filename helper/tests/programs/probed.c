// Calls a function, which saves a register first, 600,000 times below two others. Two numbers that may be given: how many calls there are
// instead, and how much work is done between two of them.
#include <stdlib.h>

static volatile unsigned long sink;

__attribute__((noipa)) static unsigned long leaf(unsigned long n)
{
	sink += n;
	return n;
}

__attribute__((noipa)) unsigned long step(unsigned long n)
{
	unsigned long first = leaf(n);
	return first + leaf(n + 1) + first;
}

__attribute__((noipa)) static void inner(long calls, long work)
{
	for (long n = 0; n < calls; n++) {
		for (long i = 0; i < work; i++)
			sink++;
		sink += step(n);
	}
}

__attribute__((noipa)) static void outer(long calls, long work)
{
	inner(calls, work);
	sink++;
}

int main(int argc, char **argv)
{
	outer(argc > 1 ? atol(argv[1]) : 600000, argc > 2 ? atol(argv[2]) : 0);
	return 0;
}
