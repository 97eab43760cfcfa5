// Functions that are called a known number of times: by eight threads, and by two children.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, CALLS = 1000003, CHILD_CALLS = 1000 };

static volatile long sum;

__attribute__((noinline)) void add_odd(long n)
{
	if (n & 1)
		sum += n;
}

// Inlined into both of its callers.
static inline __attribute__((always_inline)) long twice(long n)
{
	if (sum > n)
		sum -= n;
	return n * 2;
}

__attribute__((noinline)) long first(long n)
{
	return twice(n) + sum;
}

__attribute__((noinline)) long second(long n)
{
	return twice(n) - sum;
}

// Nothing in it is emulated by the kernel.
__attribute__((noinline)) long leaf(long n)
{
	return n + sum;
}

static void *call_often(void *calls)
{
	for (long n = 0; n < (long)calls; n++)
		add_odd(n);
	return 0;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (long t = 0; t < THREADS; t++)
		pthread_create(&threads[t], 0, call_often, (void *)(CALLS / THREADS + (long)(t < CALLS % THREADS)));
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], 0);
	for (long child = 0; child < 2; child++)
		if (fork() == 0) {
			call_often((void *)(CHILD_CALLS + child));
			_exit(0);
		}
	while (wait(0) > 0)
		;
	sum += first(3) + second(4) + leaf(5);
	return 0;
}
