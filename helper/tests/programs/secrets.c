/* Holds a secret on its stack, on its heap and in its environment while it works, and does with its rights what the
 * first argument says: "plain" nothing, "private" protects its memory at once, "later" after half of its work, "exec"
 * becomes the program that the second argument names. Times are CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) unsigned long work(double seconds)
{
	unsigned long sum = 0;
	for (double end = now() + seconds; now() < end;)
		for (int i = 0; i < 10000; i++)
			sum = sum * 31 + i; /* the work */
	return sum;
}

/* The words of the secret lie between the return addresses. */
__attribute__((noinline)) unsigned long deep(int depth, double seconds)
{
	volatile char secret[56];
	memcpy((char *)secret, "S3CRET-S3CRET-S3CRET-S3CRET-S3CRET-S3CRET-S3CRET-S3CRET-S3CRET", 56);
	unsigned long sum = depth > 0 ? deep(depth - 1, seconds) : work(seconds);
	return sum + secret[depth & 31];
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	double seconds = argc > 2 && strcmp(how, "exec") ? atof(argv[2]) : 1;
	char *heap = malloc(1 << 16);
	for (int i = 0; i + 8 < 1 << 16; i += 8)
		memcpy(heap + i, "S3CRET--", 8);
	if (!strcmp(how, "private"))
		prctl(PR_SET_DUMPABLE, 0);
	puts("ready");
	fflush(stdout);
	unsigned long sum;
	if (!strcmp(how, "later")) {
		sum = deep(8, seconds / 2);
		prctl(PR_SET_DUMPABLE, 0);
		sum += deep(8, seconds / 2);
	} else if (!strcmp(how, "exec")) {
		sum = deep(8, 0.3);
		execl(argv[2], argv[2], "plain", "0.5", (char *)0);
		perror("exec");
	} else {
		sum = deep(8, seconds);
	}
	return sum == 42 && heap[9];
}
