// Three threads wait for ever; the first one sleeps, again and again.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { PARKED = 3 };

static volatile unsigned long sink;

static void *park(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(void)
{
	pthread_t thread;
	for (int i = 0; i < PARKED; i++)
		pthread_create(&thread, NULL, park, NULL);
	usleep(200000); /* until they wait */
	puts("ready");
	fflush(stdout);
	for (;;) {
		usleep(20000); /* naps */
		sink++;
	}
}
