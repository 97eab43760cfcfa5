/* Lives shorter than a sampling period, one after the other: `children` or `threads`, how many, CPU time of each in us. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long used_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static long life_us;
static volatile unsigned long sink;

static void *short_work(void *unused)
{
	while (used_us() < life_us)
		for (int i = 0; i < 10000; i++)
			sink += i;
	return unused;
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	int threads = !strcmp(arguments[1], "threads"), lives = atoi(arguments[2]);
	for (int i = 0; i < lives; i++) {
		/* Of different length, so that they do not fall in step with the timer. */
		life_us = atol(arguments[3]) * (70 + i * 37 % 61) / 100;
		if (threads) {
			pthread_t thread;
			pthread_create(&thread, NULL, short_work, NULL);
			pthread_join(thread, NULL);
			continue;
		}
		pid_t child = fork();
		if (!child) {
			short_work(NULL);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}
