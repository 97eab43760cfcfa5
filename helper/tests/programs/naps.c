// 60,000 sleeps of 20 us and, among them, one of 2 s, all by the same helper from two callers; then 100 threads that sleep 2 ms each
// and end after some work. Other numbers of brief sleeps, and of milliseconds of the other, may be given: then there are no threads.
// Says how long each kind was off the CPU, in ns: wall time less the thread's own CPU time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { BRIEF = 60000, THREADS = 100, WORK_NS = 3000000 };

static volatile unsigned long sink;

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

__attribute__((noinline)) static void nap(long s, long ns)
{
	struct timespec t = {s, ns};
	nanosleep(&t, NULL);
	sink++;
}

__attribute__((noinline)) static void brief(void)
{
	nap(0, 20000); /* the brief one */
	sink++;
}

__attribute__((noinline)) static void lengthy(long ms)
{
	nap(ms / 1000, ms % 1000 * 1000000); /* the long one */
	sink++;
}

static long long slept_ns[THREADS];

static void *worker(void *number)
{
	long long before = off_cpu_ns();
	nap(0, 2000000); /* before the end */
	slept_ns[(long)number] = off_cpu_ns() - before;
	long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + WORK_NS;
	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		sink++;
	return NULL;
}

int main(int argc, char **argv)
{
	int briefs = argc > 1 ? atoi(argv[1]) : BRIEF, threads = argc > 1 ? 0 : THREADS;
	prctl(PR_SET_TIMERSLACK, 1);
	long long begun = off_cpu_ns(), long_ns = 0;
	for (int i = 0; i < briefs; i++) {
		brief();
		if (i == briefs / 2) {
			long_ns = -off_cpu_ns();
			lengthy(argc > 2 ? atol(argv[2]) : 2000);
			long_ns += off_cpu_ns();
		}
	}
	long long brief_ns = off_cpu_ns() - begun - long_ns, threads_ns = 0;
	for (long i = 0; i < threads; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, worker, (void *)i);
		pthread_join(thread, NULL);
		threads_ns += slept_ns[i];
	}
	printf("%lld %lld %lld\n", brief_ns, long_ns, threads_ns);
	return 0;
}
