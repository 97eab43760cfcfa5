/* What the library's own functions estimate of bytes that are known, over many threads: for each way to allocate, the mean of estimate
 * by truth and its standard error. Seeds are fixed, so each run prints the same. */
#include "../src/allocations.c"

#include <math.h>
#include <stdio.h>

struct way {
	const char *name;
	size_t sizes[3];
	int count;
	long rounds;
	int doubles;
	int threads;
};

static void begin_thread(uint64_t seed)
{
	left = 0;
	left_doubled = doublings = 0;
	distance = USUAL_DISTANCE;
	random_state = (seed * 0x9e3779b97f4a7c15ULL ^ (seed * 50021 + 1000000007)) | 1;
	for (int i = 0; i < 4; i++)
		draw_bits();
}

/* As counted() and reach_point() do it, without the marker. `doubles`: the distance, whenever 256 samples more were taken. */
static double estimate(const struct way *way, uint64_t seed)
{
	double weights = 0;
	int samples = 0;
	begin_thread(seed);
	left += draw_distance();
	for (long at = 0; at < way->rounds * way->count; at++) {
		left -= (int64_t)way->sizes[at % way->count];
		if (left > 0)
			continue;
		for (; left <= 0; left += draw_distance())
			weights += (double)(1ULL << left_doubled);
		if (way->doubles && ++samples % 256 == 0)
			doublings++;
	}
	return weights * USUAL_DISTANCE;
}

static void print(const char *name, double sum, double squares, double number)
{
	double mean = sum / number;
	printf("%s: %.6f %.6f\n", name, mean, sqrt((squares / number - mean * mean) / number));
}

int main(void)
{
	static const struct way ways[] = {
		{"small blocks", {640, 2000, 2000}, 3, 5000, 0, 20000},
		{"a distance that doubles", {40000, 9000, 100}, 3, 10000, 1, 2000},
		{"blocks of 64 KiB", {65536}, 1, 1600, 0, 20000},
		{"blocks larger than the distance", {3000000}, 1, 100, 0, 20000},
		{"threads that end before a sample is due", {640, 2000, 2000}, 3, 20, 0, 200000},
	};
	double sum = 0, squares = 0;
	long draws = 1000000;
	begin_thread(1);
	for (long i = 0; i < draws; i++) {
		double drawn = draw_exponential();
		sum += drawn;
		squares += drawn * drawn;
	}
	print("draws", sum, squares, (double)draws);
	sum = squares = 0;
	for (long i = 0; i < draws; i++) {
		begin_thread((uint64_t)i + 2);
		double drawn = draw_exponential();
		sum += drawn;
		squares += drawn * drawn;
	}
	print("first draws", sum, squares, (double)draws);
	for (const struct way *way = ways; way < ways + sizeof(ways) / sizeof(*ways); way++) {
		double truth = 0;
		for (int i = 0; i < way->count; i++)
			truth += (double)way->sizes[i] * (double)way->rounds;
		sum = squares = 0;
		for (int thread = 1; thread <= way->threads; thread++) {
			double of = estimate(way, (uint64_t)thread) / truth;
			sum += of;
			squares += of * of;
		}
		print(way->name, sum, squares, way->threads);
	}
	return 0;
}
