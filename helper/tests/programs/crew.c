/* Two threads, a child process and the kernel share the time; each has a function of its own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t sink;
static char buffer[1 << 20];

static inline __attribute__((always_inline)) uint64_t spend(void)
{
	uint64_t x = 1;
	for (uint64_t i = 0; i < 80000000; i++)
		x = x * 6364136223846793005u + 1; /* the work */
	return x;
}

__attribute__((noinline)) static void *left_work(void *unused)
{
	sink = spend();
	return unused;
}

__attribute__((noinline)) static void *right_work(void *unused)
{
	sink = spend() + 1;
	return unused;
}

__attribute__((noinline)) static void child_work(void)
{
	sink = spend() + 2;
}

__attribute__((noinline)) static void kernel_work(void)
{
	int zero = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < 300; i++)
		if (read(zero, buffer, sizeof(buffer)) < 0) /* the syscall */
			_exit(1);
}

int main(void)
{
	pid_t child = fork();
	if (child == 0) {
		child_work();
		_exit(0);
	}
	pthread_t left, right;
	pthread_create(&left, 0, left_work, 0);
	pthread_create(&right, 0, right_work, 0);
	kernel_work();
	pthread_join(left, 0);
	pthread_join(right, 0);
	waitpid(child, 0, 0);
	return 0;
}
