/* Two phases, half a second apart. In the first one 100 blocks of 1000 bytes are kept, and 50 of 2000 bytes are freed in the second one,
 * which keeps 30 of 500 bytes and frees 7 of 300 bytes at once. */
#include <stdlib.h>
#include <unistd.h>

static void *volatile sink;
static void *passing[50];

__attribute__((noinline)) static void first(void)
{
	for (int i = 0; i < 100; i++)
		sink = malloc(1000); /* kept since the first */
	for (int i = 0; i < 50; i++)
		passing[i] = malloc(2000); /* freed in the second */
}

__attribute__((noinline)) static void second(void)
{
	for (int i = 0; i < 50; i++)
		free(passing[i]);
	for (int i = 0; i < 30; i++)
		sink = malloc(500); /* kept since the second */
	for (int i = 0; i < 7; i++)
		free((sink = malloc(300))); /* brief */
}

int main(void)
{
	first();
	usleep(500000);
	second();
	usleep(100000);
	return 0;
}
