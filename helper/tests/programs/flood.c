// Blocks of 1,000 bytes that are freed at once, at tens of gigabytes a second.
#include <stdlib.h>

int main(void)
{
	for (long i = 0; i < 60000000; i++) {
		void *volatile block = malloc(1000); /* the block */
		free(block);
	}
	return 0;
}
