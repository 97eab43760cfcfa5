/* Works on a stack of its own, as Go's run time does, and keeps frame pointers, by which alone the two hang together.
 * The argument is its CPU time in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define OTHER_BYTES (64 << 10)
#define WITH_FRAME_POINTER __attribute__((noinline, optimize("no-omit-frame-pointer")))

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double seconds;
static volatile unsigned long sum;

WITH_FRAME_POINTER void work(void)
{
	for (double end = now() + seconds; now() < end;)
		for (int i = 0; i < 100000; i++)
			sum = sum * 31 + i; /* the work */
}

WITH_FRAME_POINTER void on_other_stack(void *top)
{
	__asm__ volatile("mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tcall work\n\tmov %%rbx, %%rsp" ::"r"(top)
			 : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "memory", "cc");
}

int main(int argc, char **argv)
{
	seconds = argc > 1 ? atof(argv[1]) : 1;
	char *other = mmap(0, OTHER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (other == MAP_FAILED)
		return 1;
	puts("ready");
	fflush(stdout);
	on_other_stack(other + OTHER_BYTES);
	return 0;
}
