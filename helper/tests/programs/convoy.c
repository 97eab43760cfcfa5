// Four threads, each 200 times: take the one mutex, and sleep 1 ms while holding it. Says how long they were off the CPU together, in
// ns: wall time less their own CPU time; then, on a line of its own, how often the kernel saw the process give up a CPU of its own accord.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, HELD_US = 1000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sink;
static atomic_llong waited_ns;

static long long now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static long long off_cpu_ns(void)
{
	return now_ns(CLOCK_MONOTONIC) - now_ns(CLOCK_THREAD_CPUTIME_ID);
}

__attribute__((noinline)) static void hold(void)
{
	usleep(HELD_US); /* the sleep */
	sink++;
}

static void *member(void *unused)
{
	long long before = off_cpu_ns();
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex); /* the lock */
		hold();
		pthread_mutex_unlock(&mutex);
	}
	waited_ns += off_cpu_ns() - before;
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, member, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	printf("%lld\n%ld\n", (long long)waited_ns, used.ru_nvcsw);
	return 0;
}
