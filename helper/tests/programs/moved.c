// 300 times: goes to the other CPU, and sleeps 1 ms there.
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

enum { ROUNDS = 300, SLEEP_US = 1000 };

__attribute__((noinline)) static void nap(void)
{
	usleep(SLEEP_US); /* the sleep */
	__asm__ volatile("");
}

int main(void)
{
	cpu_set_t all, one;
	int cpus[2] = {-1, -1}, found = 0;
	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			cpus[found++] = cpu;
	if (found < 2)
		return 2;
	for (int i = 0; i < ROUNDS; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpus[i % 2], &one);
		if (sched_setaffinity(0, sizeof(one), &one) != 0)
			return 1;
		nap();
	}
	return 0;
}
