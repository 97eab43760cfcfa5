/* A server that forks a worker for each client, as PostgreSQL does; clients come and go until it is ended. A worker works
 * for a tenth of a second and calls itself "worker". */
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void serve_client(void)
{
	for (double end = seconds() + 0.1; seconds() < end;)
		for (int i = 0; i < 100000; i++)
			sink += i; /* the work */
}

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (fork() == 0) {
			prctl(PR_SET_NAME, "worker");
			serve_client();
			_exit(0);
		}
		wait(0);
	}
}
