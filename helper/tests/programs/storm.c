/* A storm of forks and execs: starts itself CHILDREN times, two at once; each works for a few milliseconds. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void short_work(void)
{
	uint64_t x = 1;
	for (int i = 0; i < 2000000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	sink = x;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		short_work();
		return 0;
	}
	int children = atoi(argv[1]);
	for (int i = 0; i < children; i++) {
		if (i >= 2)
			wait(0);
		if (fork() == 0) {
			execl(argv[0], argv[0], (char *)0);
			_exit(127);
		}
	}
	while (wait(0) > 0)
		;
	return 0;
}
