// Eight threads that share one CPU allocate, and make a system call, in functions of their own: a stack with those of two is a mixture.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 8, BLOCKS = 5000 };

#define THREAD(n)                                                    \
	__attribute__((noinline)) static void inner_##n(void)        \
	{                                                            \
		void *volatile block = malloc(1000 + n);             \
		free(block);                                         \
		syscall(SYS_getppid);                                \
	}                                                            \
	__attribute__((noinline)) static void *outer_##n(void *name) \
	{                                                            \
		pthread_setname_np(pthread_self(), name);            \
		for (int i = 0; i < BLOCKS; i++)                     \
			inner_##n();                                 \
		return name;                                         \
	}
THREAD(0)
THREAD(1)
THREAD(2)
THREAD(3)
THREAD(4)
THREAD(5)
THREAD(6)
THREAD(7)

int main(void)
{
	static void *(*const outer[THREADS])(void *) = {outer_0, outer_1, outer_2, outer_3, outer_4, outer_5, outer_6, outer_7};
	static char names[THREADS][6] = {"own_0", "own_1", "own_2", "own_3", "own_4", "own_5", "own_6", "own_7"};
	pthread_t threads[THREADS];
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		return 1;
	for (int t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, outer[t], names[t]);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	return 0;
}
