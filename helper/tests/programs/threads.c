/* Two named threads that spend the same time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>

static void *spend(void *name)
{
	pthread_setname_np(pthread_self(), name);
	uint64_t x = 1;
	for (uint64_t i = 0; i < 400000000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	return (void *)x;
}

int main(void)
{
	pthread_t left, right;
	pthread_create(&left, 0, spend, "left");
	pthread_create(&right, 0, spend, "right");
	pthread_join(left, 0);
	pthread_join(right, 0);
	return 0;
}
