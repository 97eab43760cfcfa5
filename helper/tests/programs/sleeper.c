// 200 times: 7 ms of CPU time, then a sleep of 3 ms, while other processes burn as many CPUs as there are.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 200, WORK_US = 7000, SLEEP_US = 3000, BURNERS = 4 };

static double cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static volatile unsigned long sink;

__attribute__((noinline)) static void work(void)
{
	double end = cpu_us() + WORK_US;
	while (cpu_us() < end)
		for (int i = 0; i < 10000; i++)
			sink += i;
}

__attribute__((noinline)) static void nap(void)
{
	usleep(SLEEP_US); /* the sleep */
	sink++;
}

int main(int argc, char **argv)
{
	int burners = argc > 1 ? atoi(argv[1]) : BURNERS;
	pid_t pids[64];
	for (int i = 0; i < burners; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				sink++; /* burning */
		}
	}
	for (int i = 0; i < ROUNDS; i++) {
		work();
		nap();
	}
	for (int i = 0; i < burners; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	puts("done");
	return 0;
}
