/* 4,000,000 blocks of 64 bytes that are never freed, among 8,000,000 of 200 bytes that are freed at once. */
#include <stdlib.h>

__attribute__((noinline)) static void *kept(void)
{
	void *volatile block = malloc(64); /* the leak */
	return block;
}

__attribute__((noinline)) static void brief(void)
{
	void *volatile block = malloc(200); /* the brief one */
	free(block);
}

int main(void)
{
	for (int i = 0; i < 4000000; i++) {
		void *volatile block = kept();
		(void)block;
		brief();
		brief();
	}
	return 0;
}
