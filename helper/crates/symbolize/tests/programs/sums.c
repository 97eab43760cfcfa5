/* A chain of inlined calls two deep, a static function, and code from an included file. */
#include <stdio.h>
#include "sums.h"

static inline __attribute__((always_inline)) int twice(int value)
{
	return add(value, value);
}

__attribute__((noinline)) int sum_to(int count)
{
	int sum = 0;
	for (int at = 0; at < count; at++)
		sum += twice(at);
	return sum;
}

int main(int argc, char **argv)
{
	printf("%d\n", sum_to(argc * 1000));
	return 0;
}
