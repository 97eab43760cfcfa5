/* Spends time until it is ended. */
#include <stdint.h>
#include <stdio.h>

static volatile uint64_t sink;

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		sink += 1; /* the work */
}
