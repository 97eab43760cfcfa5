/* Takes its own file away, or puts the file of another program in its place, and goes on working. A library that is
 * named third is loaded, then rewritten in place by the file that is named fourth.
 *
 *   vanish delete | vanish replace OTHER | vanish load LIBRARY OTHER
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void work_without_a_file(void)
{
	uint64_t x = 1;
	for (uint64_t i = 0; i < 1500000000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	sink = x;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "delete") == 0) {
		if (unlink(argv[0]) != 0)
			return 1;
		work_without_a_file();
	}
	if (argc > 2 && strcmp(argv[1], "replace") == 0) {
		if (rename(argv[2], argv[0]) != 0)
			return 1;
		work_without_a_file();
	}
	if (argc > 2 && strcmp(argv[1], "load") == 0) {
		void *library = dlopen(argv[2], RTLD_NOW);
		void (*work)(void) = library ? (void (*)(void))dlsym(library, "work_in_library") : 0;
		if (!work)
			return 1;
		work();
		if (argc > 3) {
			static char bytes[1 << 20]; /* its code changes under us: no more calls */
			int from = open(argv[3], O_RDONLY), to = open(argv[2], O_WRONLY | O_TRUNC);
			ssize_t n = read(from, bytes, sizeof bytes);
			if (n <= 0 || write(to, bytes, n) != n)
				return 1;
		}
	}
	return 0;
}
