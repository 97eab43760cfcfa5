/* How much time is taken from a program that asks for nothing: twelve calls deep it reads the clock without end and adds
 * up the pauses between two readings. LOG gets two 64-bit numbers every 20 ms: when (CLOCK_MONOTONIC) and how long the
 * pauses were in sum, in nanoseconds. Compiled without frame pointers.
 *
 *   pauses ROUNDS LOG
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUND_NS 20000000u
/* Reading the clock takes some 30 ns; an interrupt takes microseconds, a neighbour's turn on the core milliseconds. */
#define PAUSE_NS 500u
#define STOLEN_NS 200000u

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void watch(long rounds, int log)
{
	uint64_t last = now_ns(), round_end = last + ROUND_NS, pauses = 0;
	while (rounds > 0) {
		uint64_t now = now_ns(), gap = now - last;
		last = now;
		if (gap > PAUSE_NS && gap < STOLEN_NS)
			pauses += gap;
		if (now < round_end)
			continue;
		uint64_t entry[2] = {now, pauses};
		if (write(log, entry, sizeof(entry)) != sizeof(entry))
			exit(1);
		rounds--;
		pauses = 0;
		last = now_ns();
		round_end = last + ROUND_NS;
	}
}

static __attribute__((noinline)) void deeper(int levels, long rounds, int log)
{
	if (levels == 0)
		watch(rounds, log);
	else
		deeper(levels - 1, rounds, log);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	deeper(10, atol(argv[1]), open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}
