/* A function with two names, of which debug information knows the one that nobody asks for. */
#include <stdio.h>

static volatile double sum;

__attribute__((noipa)) static void add(int from)
{
	for (int i = from; i < from + 1000; i++)
		sum += 1.0 / i;
}

__attribute__((noinline)) void burn(void)
{
	for (int i = 1; i < 300; i++)
		add(i);
}

void spin(void) __attribute__((alias("burn")));

int main(void)
{
	for (int i = 0; i < 400; i++)
		spin();
	printf("%.0f\n", sum);
	return 0;
}
