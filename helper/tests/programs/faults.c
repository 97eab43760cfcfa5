// Touches memory for the first time at known lines: alone, in threads, in a child, and in a file that is not in memory. Prints the page
// faults of the first loop, as the kernel counts them, and how many pages of the file had to be read.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 200000L
#define PAGE 4096
#define FILE_PAGES 40

static struct rusage usage(void)
{
	struct rusage used;
	getrusage(RUSAGE_THREAD, &used);
	return used;
}

static char *memory(long pages, int advice)
{
	char *start = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(start, pages * PAGE, advice);
	return start;
}

__attribute__((noinline)) static void touch(volatile char *start, long pages)
{
	for (long page = 0; page < pages; page++)
		start[page * PAGE] = 1; // touch
}

__attribute__((noinline)) static void *touch_few(void *unused)
{
	volatile char *start = memory(1000, MADV_NOHUGEPAGE);
	for (long page = 0; page < 1000; page++)
		start[page * PAGE] = 1; // touch few
	return unused;
}

__attribute__((noinline)) static int read_pages(volatile const char *start)
{
	int sum = 0;
	for (long page = 0; page < FILE_PAGES; page++)
		sum += start[page * 16 * PAGE]; // read
	return sum;
}

static long read_file(const char *path)
{
	long bytes = FILE_PAGES * 16L * PAGE;
	char *content = calloc(1, bytes);
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (write(file, content, bytes) != bytes || fsync(file) != 0)
		return 0;
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	char *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
	madvise(mapped, bytes, MADV_RANDOM);
	long before = usage().ru_majflt;
	if (read_pages(mapped) != 0)
		return 0;
	return usage().ru_majflt - before;
}

int main(int argc, char **argv)
{
	char *start = memory(PAGES, argc > 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	long before = usage().ru_minflt;
	touch(start, PAGES);
	long minor = usage().ru_minflt - before;
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, touch_few, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (fork() == 0) {
		touch_few(NULL);
		_exit(0);
	}
	wait(NULL);
	printf("%ld %ld\n", minor, argc > 1 ? read_file(argv[1]) : 0);
	return 0;
}
