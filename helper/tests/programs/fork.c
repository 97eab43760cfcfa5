/* A child spends the time; it inherits the parent's code by fork. */
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void child_work(void)
{
	uint64_t x = 1;
	for (uint64_t i = 0; i < 400000000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	sink = x;
}

int main(void)
{
	if (fork() == 0) {
		child_work();
		_exit(0);
	}
	wait(0);
	return 0;
}
