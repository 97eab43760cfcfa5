// A function that is inlined twice and called by a pointer, by eight threads and two children. It counts its own calls.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, CALLS = 1000003, CHILD_CALLS = 1000 };

static volatile long sum;
static long *own;

static inline long step(long n)
{
	__atomic_fetch_add(own, 1, __ATOMIC_RELAXED);
	if (n & 2)
		return n * 3 + sum;
	return n - sum;
}

__attribute__((noinline)) long first(long n)
{
	return step(n) ^ 1;
}

__attribute__((noinline)) long second(long n)
{
	long twice = n * 2;
	return step(twice) + sum;
}

// A pure function in a loop that compilers unroll, vectorize or both.
static inline int square(int n)
{
	return n * n;
}

__attribute__((noinline)) int squares(const int *from, int count)
{
	int all = 0;
	for (int at = 0; at < count; at++)
		all += square(from[at]);
	return all;
}

static long (*volatile pointer)(long) = step;

static void *call_often(void *calls)
{
	for (long n = 0; n < (long)calls; n++)
		sum += n & 1 ? first(n) : second(n);
	return 0;
}

int main(void)
{
	own = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
	for (int n = 0; n < 10; n++)
		sum += pointer(n);
	int *from = calloc(1024, sizeof *from);
	sum += squares(from, 1024);
	free(from);
	printf("%ld\n", *own);
	return 0;
}
