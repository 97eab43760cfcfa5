/* LEAKED blocks of 64 bytes that are never freed, among twice as many of 200 bytes that are freed at once. Halfway, HELD blocks of SIZE
 * bytes are in use together for 300 ms: that is the peak. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static void kept(void)
{
	void *volatile block = malloc(64); /* the leak */
	(void)block;
}

__attribute__((noinline)) static void brief(void)
{
	void *volatile block = malloc(200); /* the brief one */
	free(block);
}

__attribute__((noinline)) static void hold(long held, long size)
{
	static void *blocks[10000];
	for (long i = 0; i < held; i++)
		blocks[i] = malloc(size); /* held for a while */
	usleep(300000);
	for (long i = 0; i < held; i++)
		free(blocks[i]);
}

int main(int argc, char **argv)
{
	if (argc != 4 || atol(argv[2]) > 10000)
		return 2;
	long leaked = atol(argv[1]);
	for (long i = 1; i <= leaked; i++) {
		kept();
		brief();
		brief();
		if (i == leaked / 2)
			hold(atol(argv[2]), atol(argv[3]));
	}
	return 0;
}
