/* Two threads on one CPU that take turns, twelve calls deep: each does ROUNDS additions and wakes the other one, so that each
 * loses its CPU once a turn and nobody else gets it. Prints the CPU time of the process, in nanoseconds, and its number of switches.
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

enum { DEPTH = 12, CPU = 1 };

static sem_t turn_of[2];
static long turns, rounds;
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

static void *take_turns(void *argument)
{
	int me = argument != NULL;
	for (long i = 0; i < turns; i++)
		take_turn(me, DEPTH);
	return NULL;
}

int main(int argc, char **argv)
{
	cpu_set_t cpu;
	struct rusage used;
	struct timespec cpu_time;
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
	getrusage(RUSAGE_SELF, &used);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_time);
	printf("%ld %ld\n", cpu_time.tv_sec * 1000000000l + cpu_time.tv_nsec, used.ru_nvcsw + used.ru_nivcsw);
	return 0;
}
