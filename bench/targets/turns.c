/* Two threads on one CPU that take turns, twelve calls deep: each does ROUNDS additions and wakes the other one, so that each
 * loses its CPU once a turn and nobody else gets it. Prints, for each of 40 equal parts of the work, the CPU time of the process in
 * nanoseconds and its number of switches.
 * Compiled without frame pointers.
 *
 *   turns TURNS ROUNDS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { DEPTH = 12, CPU = 1, PARTS = 40 };

static sem_t turn_of[2];
static long turns, rounds;
static struct part {
	long cpu_ns, switches;
} at[PARTS + 1];
static volatile unsigned long sink;

__attribute__((noinline)) static void take_turn(int me, int depth)
{
	if (depth > 0) {
		take_turn(me, depth - 1);
		sink++;
		return;
	}
	sem_wait(&turn_of[me]);
	for (long i = 0; i < rounds; i++)
		sink += i;
	sem_post(&turn_of[!me]);
}

static struct part so_far(void)
{
	struct rusage used;
	struct timespec cpu_time;
	getrusage(RUSAGE_SELF, &used);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_time);
	return (struct part){cpu_time.tv_sec * 1000000000l + cpu_time.tv_nsec, used.ru_nvcsw + used.ru_nivcsw};
}

static void *take_turns(void *argument)
{
	int me = argument != NULL;
	for (long part = 0; part < PARTS; part++) {
		if (me == 0)
			at[part] = so_far();
		for (long i = 0; i < turns / PARTS; i++)
			take_turn(me, DEPTH);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	cpu_set_t cpu;
	pthread_t other;
	if (argc != 3)
		return 2;
	turns = atol(argv[1]);
	rounds = atol(argv[2]);
	CPU_ZERO(&cpu);
	CPU_SET(CPU, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) != 0)
		return 1;
	sem_init(&turn_of[0], 0, 1);
	sem_init(&turn_of[1], 0, 0);
	pthread_create(&other, NULL, take_turns, &turns);
	take_turns(NULL);
	pthread_join(other, NULL);
	at[PARTS] = so_far();
	for (int part = 0; part < PARTS; part++)
		printf("%ld %ld\n", at[part + 1].cpu_ns - at[part].cpu_ns, at[part + 1].switches - at[part].switches);
	return 0;
}
