// Four threads, each with very many events of all kinds at a time: system calls of which some fail, first touches of pages, blocks that
// are freed at once, brief sleeps. Prints the page faults of their loops, as the kernel counts them, and how long they were off the CPU,
// in ns: wall time less their own CPU time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 10000, ASKED = 20, BLOCKS = 20, BYTES = 4000, PAGE = 4096 };

static volatile unsigned long sink;
static atomic_long faults;
static atomic_llong waited_ns;

static long long now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static long long off_cpu_ns(void)
{
	return now_ns(CLOCK_MONOTONIC) - now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static long faults_so_far(void)
{
	struct rusage used;
	getrusage(RUSAGE_THREAD, &used);
	return used.ru_minflt;
}

__attribute__((noinline)) static void ask(void)
{
	for (int i = 0; i < ASKED; i++)
		syscall(SYS_getppid); // ask
	sink += chdir("/no/such/folder"); // fail
}

__attribute__((noinline)) static void allocate(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		void *volatile block = malloc(BYTES); // the block
		free(block);
	}
}

__attribute__((noinline)) static void nap(void)
{
	struct timespec time = {.tv_nsec = 20000};
	nanosleep(&time, NULL); // the nap
	sink++;
}

static void *member(void *unused)
{
	prctl(PR_SET_TIMERSLACK, 1);
	volatile char *pages = mmap(NULL, ROUNDS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)pages, ROUNDS * PAGE, MADV_NOHUGEPAGE);
	long faults_before = faults_so_far();
	long long before = off_cpu_ns();
	for (int i = 0; i < ROUNDS; i++) {
		ask();
		pages[i * PAGE] = 1; // touch
		allocate();
		nap();
	}
	waited_ns += off_cpu_ns() - before;
	faults += faults_so_far() - faults_before;
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, member, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %lld\n", (long)faults, (long long)waited_ns);
	return 0;
}
