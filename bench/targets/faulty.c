/* A target that is disturbed. Says when it begins (ms since 1970) and, when nobody has ended it, "whole" at its end.
 *
 *   faulty busy MS [THREADS]        one stack a thread
 *   faulty branches MS DEPTH [THREADS]   another stack every few microseconds, DEPTH frames deep
 *   faulty chain STEPS MS           executes itself STEPS times; each program works for MS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static double until_ms;
static int depth;

static double now_ms(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

__attribute__((noinline)) static void spin(int rounds)
{
	uint64_t x = sink;
	for (int i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	sink = x;
}

__attribute__((noinline)) static uint64_t left(uint64_t seed, int frames);
__attribute__((noinline)) static uint64_t right(uint64_t seed, int frames);

static inline uint64_t further(uint64_t seed, int frames)
{
	if (frames == 0) {
		spin(5000);
		return seed;
	}
	uint64_t next = seed >> 1 | seed << 63;
	return (seed & 1 ? left : right)(next, frames - 1) + 1; /* the call */
}

static uint64_t left(uint64_t seed, int frames) { return further(seed, frames) ^ 1; }
static uint64_t right(uint64_t seed, int frames) { return further(seed, frames) ^ 2; }

static void *busy(void *unused)
{
	while (now_ms(CLOCK_MONOTONIC) < until_ms)
		spin(100000);
	return unused;
}

static void *branches(void *number)
{
	uint64_t seed = (uint64_t)number;
	while (now_ms(CLOCK_MONOTONIC) < until_ms) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		sink += further(seed ^ seed >> 29, depth);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	int is_chain = strcmp(argv[1], "chain") == 0, is_busy = strcmp(argv[1], "busy") == 0;
	if (!is_chain || !getenv("FAULTY_BEGUN"))
		printf("begin %.0f\n", now_ms(CLOCK_REALTIME));
	fflush(stdout);
	if (is_chain) {
		int steps = atoi(argv[2]);
		until_ms = now_ms(CLOCK_MONOTONIC) + atof(argv[3]);
		busy(0);
		if (steps > 1) {
			char left_text[16];
			snprintf(left_text, sizeof left_text, "%d", steps - 1);
			setenv("FAULTY_BEGUN", "1", 1);
			execl("/proc/self/exe", "faulty", "chain", left_text, argv[3], (char *)0);
			return 1;
		}
	} else {
		until_ms = now_ms(CLOCK_MONOTONIC) + atof(argv[2]);
		depth = is_busy || argc < 4 ? 0 : atoi(argv[3]);
		int threads = argc > (is_busy ? 3 : 4) ? atoi(argv[is_busy ? 3 : 4]) : 1;
		pthread_t others[64];
		for (int i = 1; i < threads && i < 64; i++)
			pthread_create(&others[i], 0, is_busy ? busy : branches, (void *)(intptr_t)i);
		(is_busy ? busy : branches)(0);
		for (int i = 1; i < threads && i < 64; i++)
			pthread_join(others[i], 0);
	}
	puts("whole");
	return 7;
}
