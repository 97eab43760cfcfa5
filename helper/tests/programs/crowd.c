/* THREADS threads with a name of their own, all alive at once, then CHILDREN children; each works MILLIONS steps.
 * A thread is sampled from its own first period on: one that ends before is never seen.
 *
 *   crowd [THREADS [CHILDREN [MILLIONS]]]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t sink;
static long steps = 1000000;
static pthread_barrier_t all_here;

__attribute__((noinline)) static void work_a_little(void)
{
	uint64_t x = 1;
	for (long i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	sink = x;
}

static void *run(void *number)
{
	char name[16];
	snprintf(name, sizeof name, "crowd-%ld", (long)number % 10);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&all_here);
	work_a_little();
	return 0;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 100, children = argc > 2 ? atol(argv[2]) : 100;
	if (argc > 3)
		steps *= atol(argv[3]);
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all_here, 0, threads + 1);
	pthread_t *ids = calloc(threads, sizeof *ids);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&ids[i], &small, run, (void *)i) != 0)
			return 1;
	pthread_barrier_wait(&all_here);
	for (long i = 0; i < threads; i++)
		pthread_join(ids[i], 0);
	for (long i = 0; i < children; i++)
		if (fork() == 0) {
			work_a_little();
			_exit(0);
		}
	while (wait(0) > 0)
		;
	return 0;
}
