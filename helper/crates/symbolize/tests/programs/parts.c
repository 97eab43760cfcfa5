/* A function whose unlikely part the compiler moves away: `checked.cold`. */
#include <stdio.h>

__attribute__((noinline, cold)) void complain(int value);

__attribute__((noinline)) int checked(int value)
{
	if (value > 1000000)
		complain(value);
	return value * 3;
}

void complain(int value)
{
	fprintf(stderr, "%d is too much\n", value);
}

int main(int argc, char **argv)
{
	printf("%d\n", checked(argc));
	return 0;
}
