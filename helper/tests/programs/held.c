// Four threads, each 200 times: take the one mutex, and compute for 1 ms of CPU time while holding it.
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long long cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) static unsigned long mix(unsigned long state)
{
	for (int i = 0; i < 20000; i++)
		state = state * 6364136223846793005ul + 1442695040888963407ul; /* the work */
	return state;
}

static void *member(void *state)
{
	unsigned long value = (unsigned long)state;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex); /* the lock */
		long long until = cpu_ns() + 1000000;
		while (cpu_ns() < until)
			value += mix(value); /* held */
		pthread_mutex_unlock(&mutex); /* the release */
	}
	return (void *)value;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, member, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
