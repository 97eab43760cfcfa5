// A pool of eight threads of which one gets work, beside a thread that burns and then sleeps: seven are parked for the whole run.
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, BURNS_MS = 600, SLEEPS_US = 200000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool has_work, is_over;
static volatile double sink;

__attribute__((noinline)) static void burn(int ms)
{
	struct timespec used;
	do {
		for (int i = 1; i < 10000; i++)
			sink += 1.0 / i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms);
}

__attribute__((noinline)) static bool next(void)
{
	pthread_mutex_lock(&mutex);
	while (!has_work && !is_over)
		pthread_cond_wait(&changed, &mutex);
	bool is_mine = has_work;
	has_work = false;
	pthread_mutex_unlock(&mutex);
	return is_mine;
}

static void *worker_loop(void *unused)
{
	while (next())
		burn(BURNS_MS / 2);
	return unused;
}

static void change(bool *what)
{
	pthread_mutex_lock(&mutex);
	*what = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker_loop, NULL);
	change(&has_work);
	burn(BURNS_MS);
	usleep(SLEEPS_US);
	change(&is_over);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
