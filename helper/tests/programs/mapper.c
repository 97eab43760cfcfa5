/*
 * Maps code, forks and hides as its arguments say, one after the other:
 *   ready               says "ready"
 *   await               reads a byte from its input
 *   map COUNT PATH      maps the first page of a file as code, so often
 *   spread COUNT PATH   the same at as many addresses, none of which is given back
 *   fork COUNT          starts as many children that end at once
 *   pause MS            sleeps
 *   work MS             uses so much CPU time
 *   hide                forbids others to look into it
 *   exec PROGRAM …      becomes another program
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static volatile unsigned long sink;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void map(int count, const char *path, int keep)
{
	int file = open(path, O_RDONLY);
	if (file < 0)
		fail(path);
	char *room = keep ? mmap(0, (long)count * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : 0;
	if (room == MAP_FAILED)
		fail("mmap");
	for (int i = 0; i < count; i++) {
		void *place = keep ? room + (long)i * PAGE : 0;
		void *code = mmap(place, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | (keep ? MAP_FIXED : 0), file, 0);
		if (code == MAP_FAILED)
			fail("mmap");
		if (!keep)
			munmap(code, PAGE);
	}
	close(file);
}

static long cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void work(long ms)
{
	for (long end = cpu_ms() + ms; cpu_ms() < end;)
		for (int i = 0; i < 100000; i++)
			sink += i;
}

static void start_children(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, 0, 0);
	}
}

int main(int count, char **arguments)
{
	for (char **a = arguments + 1; *a; a++) {
		if (!strcmp(*a, "ready")) {
			puts("ready");
			fflush(stdout);
		} else if (!strcmp(*a, "await")) {
			char byte;
			if (read(0, &byte, 1) != 1)
				return 1;
		} else if (!strcmp(*a, "map") || !strcmp(*a, "spread")) {
			int keep = **a == 's', times = atoi(a[1]);
			map(times, a[2], keep);
			a += 2;
		} else if (!strcmp(*a, "fork")) {
			start_children(atoi(*++a));
		} else if (!strcmp(*a, "pause")) {
			usleep(1000 * atoi(*++a));
		} else if (!strcmp(*a, "work")) {
			work(atoi(*++a));
		} else if (!strcmp(*a, "hide")) {
			prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		} else if (!strcmp(*a, "exec")) {
			execv(a[1], a + 1);
			fail(a[1]);
		} else {
			fprintf(stderr, "mapper does not know %s\n", *a);
			return 2;
		}
	}
	return 0;
}
