/* Programs whose executions differ in ways that comparisons must stand. The first argument says how; the second is the
 * number of rounds:
 *   two-speeds   one of two speeds, by chance of the address layout, as with a hash table whose seed is random
 *   drifts       slower with each execution: the third argument is a file that each execution adds to and reads whole
 *   page-faults  most of the time is the kernel giving and taking pages
 *   threads      four threads that wait for one lock */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noinline)) static

static volatile uint64_t sink;

APART uint64_t mix(uint64_t x, long rounds)
{
	for (long i = 0; i < rounds; i++)
		x = (x ^ (x >> 29)) * 6364136223846793005u + 1;
	return x;
}

APART uint64_t parse(const char *text, size_t length)
{
	uint64_t sum = 0, number = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			number = number * 10 + (uint64_t)(text[i] - '0');
		else
			sum += number, number = 0;
	}
	return sum;
}

APART uint64_t sort_of(uint32_t *values, size_t count)
{
	for (size_t gap = count / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < count; i++)
			for (size_t j = i; j >= gap && values[j - gap] > values[j]; j -= gap) {
				uint32_t value = values[j];
				values[j] = values[j - gap];
				values[j - gap] = value;
			}
	return values[count / 2];
}

APART uint64_t look_up(const uint32_t *table, size_t mask, long wanted, size_t step)
{
	uint64_t found = 0;
	for (long i = 0; i < wanted; i++)
		for (size_t probe = 0; probe < step; probe++)
			found += table[((size_t)i * 2654435761u + probe * 97) & mask];
	return found;
}

static void fill(uint32_t *values, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++)
		values[i] = (uint32_t)((seed = seed * 6364136223846793005u + 1) >> 33);
}

static void two_speeds(long rounds)
{
	enum { COUNT = 1 << 16 };
	uint32_t *values = malloc(COUNT * sizeof *values);
	int on_stack;
	size_t probes = ((uintptr_t)&on_stack >> 12 & 1) ? 3 : 4;
	for (long i = 0; i < rounds; i++) {
		fill(values, COUNT, (uint64_t)i);
		sink += look_up(values, COUNT - 1, 1000000, probes);
		sink += sort_of(values, 20000);
		sink += mix((uint64_t)i, 400000);
	}
	free(values);
}

static int drifts(long rounds, const char *name)
{
	enum { LINES_AT_FIRST = 200000, LINES_MORE = 400 };
	FILE *file = fopen(name, "a+");
	if (!file) {
		perror(name);
		return 1;
	}
	fseek(file, 0, SEEK_END);
	long more = ftell(file) == 0 ? LINES_AT_FIRST : LINES_MORE;
	for (long i = 0; i < more; i++)
		fprintf(file, "%ld %ld\n", i, i * 31);
	long length = ftell(file);
	char *text = malloc((size_t)length);
	rewind(file);
	if (fread(text, 1, (size_t)length, file) != (size_t)length)
		return 1;
	for (long i = 0; i < rounds; i++) {
		sink += parse(text, (size_t)length);
		sink += mix((uint64_t)i, 1000000);
	}
	free(text);
	return fclose(file);
}

static int page_faults(long rounds)
{
	enum { LENGTH = 64 << 20 };
	for (long i = 0; i < rounds; i++) {
		uint32_t *pages = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pages == MAP_FAILED)
			return 1;
		for (size_t at = 0; at < LENGTH / sizeof *pages; at += 1024)
			pages[at] = (uint32_t)at;
		sink += look_up(pages, LENGTH / sizeof *pages - 1, 100000, 2);
		sink += mix((uint64_t)i, 500000);
		munmap(pages, LENGTH);
	}
	return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shared;

static void *thread(void *rounds)
{
	for (long i = 0; i < (long)rounds; i++) {
		uint64_t found = mix((uint64_t)i, 2000);
		pthread_mutex_lock(&lock);
		shared = mix(shared + found, 700);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int threads(long rounds)
{
	pthread_t all[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&all[i], NULL, thread, (void *)rounds))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
	sink += shared;
	return 0;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 0;
	if (rounds > 0 && strcmp(argv[1], "two-speeds") == 0)
		return two_speeds(rounds), 0;
	if (rounds > 0 && strcmp(argv[1], "drifts") == 0 && argc > 3)
		return drifts(rounds, argv[3]);
	if (rounds > 0 && strcmp(argv[1], "page-faults") == 0)
		return page_faults(rounds);
	if (rounds > 0 && strcmp(argv[1], "threads") == 0)
		return threads(rounds);
	fputs("unsteady: wanted two-speeds, drifts, page-faults or threads, the number of rounds, and for drifts a file\n",
	      stderr);
	return 2;
}
