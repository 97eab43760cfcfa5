/* Makes COUNT system calls that do nearly nothing, or touches COUNT new pages. Prints the CPU time of the process, in nanoseconds.
 *
 *   kernel-work calls|pages COUNT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void make_calls(long count)
{
	for (long i = 0; i < count; i++)
		syscall(SYS_getppid);
}

static int touch_pages(long count)
{
	long page = sysconf(_SC_PAGESIZE);
	char *start = mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (start == MAP_FAILED || madvise(start, count * page, MADV_NOHUGEPAGE) != 0)
		return -1;
	for (long i = 0; i < count; i++)
		start[i * page] = 1;
	return 0;
}

int main(int count, char **arguments)
{
	struct timespec used;
	if (count != 3)
		return 2;
	if (strcmp(arguments[1], "calls") == 0)
		make_calls(atol(arguments[2]));
	else if (touch_pages(atol(arguments[2])) != 0)
		return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%lld\n", used.tv_sec * 1000000000LL + used.tv_nsec);
	return 0;
}
