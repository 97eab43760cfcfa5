/* Work in signal handlers, on the thread's stack and on another, below a realigned frame and lazy binding. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile uint64_t sink;
static char signal_stack[64 * 1024];

__attribute__((noinline)) static void spend(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink += i * sink; /* the work */
}

static void on_signal(int number) { spend(600000 + number); }

static int compare(const void *a, const void *b)
{
	spend(40);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline, force_align_arg_pointer)) static int realigned(int n)
{
	__attribute__((aligned(64))) volatile int numbers[256];
	for (int i = 0; i < 256; i++)
		numbers[i] = (i * 7919 + n) % 256;
	qsort((int *)numbers, 256, sizeof(int), compare);
	return numbers[n & 255];
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(void)
{
	stack_t other = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
	sigaltstack(&other, 0);
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGPROF, &action, 0);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGVTALRM, &action, 0);
	struct itimerval every = {{0, 3000}, {0, 3000}};
	setitimer(ITIMER_PROF, &every, 0);
	every.it_value.tv_usec = 5000;
	setitimer(ITIMER_VIRTUAL, &every, 0);
	/* Timers fire at the kernel's tick: samples at 999 Hz come to every phase of its milliseconds in one second. */
	while (cpu_seconds() < 1.0)
		realigned(sink & 255);
	return 0;
}
