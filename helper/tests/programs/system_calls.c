// Makes known numbers of system calls at known lines. Prints its process id and that of its child.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) static void ask(long times)
{
	for (long i = 0; i < times; i++)
		syscall(SYS_getppid); // ask
}

__attribute__((noinline)) static void fail(long times)
{
	for (long i = 0; i < times; i++)
		if (chdir("/no/such/folder") == 0) // fail
			return;
}

__attribute__((noinline)) static void nap(long ns)
{
	struct timespec time = {.tv_nsec = ns};
	nanosleep(&time, NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) static void sleep_and_not(void)
{
	for (int i = 0; i < 200; i++) {
		nap(2000000); // sleep
		for (int j = 0; j < 100; j++)
			nap(-1); // sleep not: the time is invalid
	}
}

int main(void)
{
	ask(1000000);
	fail(1000);
	sleep_and_not();
	pid_t child;
	char *arguments[] = {"true", NULL};
	posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
	waitpid(child, NULL, 0);
	printf("%d %d\n", getpid(), child);
	return 0;
}
