/* A few milliseconds of work in three equal parts, one after the other. An argument N: ends with status 3 when the
 * file N exists, otherwise makes it. */
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

static volatile uint64_t sink;

static inline uint64_t spin(uint64_t x)
{
	for (int i = 0; i < 2000000; i++)
		x = x * 6364136223846793005u + 1;
	return x;
}

__attribute__((noinline)) static void first_part(void) { sink = spin(1); }
__attribute__((noinline)) static void second_part(void) { sink = spin(2); }
__attribute__((noinline)) static void third_part(void) { sink = spin(3); }

int main(int argc, char **argv)
{
	first_part();
	second_part();
	third_part();
	if (argc > 1 && open(argv[1], O_CREAT | O_EXCL, 0600) < 0)
		return 3;
	return 0;
}
