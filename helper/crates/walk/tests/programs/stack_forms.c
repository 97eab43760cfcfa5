/* Stacks of many forms, one after the other. Between two breakpoints they are watched; -DWHOLE leaves these out. */
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WHOLE
#define BREAKPOINT()
#elif defined(__aarch64__)
#define BREAKPOINT() __asm__ volatile("brk #0")
#else
#define BREAKPOINT() __asm__ volatile("int3")
#endif

#define NOINLINE __attribute__((noinline))
#ifdef __x86_64__
#define REALIGNED __attribute__((force_align_arg_pointer))
#else
#define REALIGNED
#endif

volatile int sink;

static NOINLINE int leaf(int n) { return sink += n; }

/* A stack aligned anew: gcc keeps the old one in r10 and describes it by an expression. */
static NOINLINE REALIGNED int realigned(int n)
{
	__attribute__((aligned(64))) volatile char buffer[128];
	buffer[n & 127] = n;
	return leaf(buffer[0]) + leaf(n);
}

/* A frame of unknown size: by the frame pointer. */
static NOINLINE int variable(int n)
{
	char *buffer = alloca(n * 16 + 16);
	memset(buffer, n, n * 16);
	return leaf(buffer[n]) + realigned(n);
}

/* Both. */
static NOINLINE int realigned_variable(int n)
{
	__attribute__((aligned(64))) volatile char buffer[64];
	char *more = alloca(n * 8 + 8);
	memset(more, n, n * 8);
	buffer[0] = more[0];
	return variable(n) + buffer[0];
}

static NOINLINE int compare(const void *a, const void *b) { return leaf(*(const int *)a - *(const int *)b); }

static void on_signal(int number) { leaf(number); }

#ifdef __aarch64__
/* As musl has it; glibc returns through the vDSO, which qemu has none of. */
void return_from_signal(void);
__asm__(".text\n.globl return_from_signal\nreturn_from_signal: mov x8, #139\nsvc #0");
#define RETURN_FROM_SIGNAL .sa_restorer = return_from_signal, .sa_flags = 0x04000000 /* SA_RESTORER */
#else
#define RETURN_FROM_SIGNAL .sa_flags = 0
#endif

static char signal_stack[64 * 1024];

static NOINLINE int recurse(int depth) { return depth ? recurse(depth - 1) + 1 : leaf(depth); }

int main(void)
{
	stack_t other = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
	sigaltstack(&other, 0);
	struct sigaction action = {.sa_handler = on_signal, RETURN_FROM_SIGNAL};
	sigaction(SIGUSR1, &action, 0);
	action.sa_flags |= SA_ONSTACK;
	sigaction(SIGUSR2, &action, 0);
	BREAKPOINT();
	realigned_variable(3);
	int numbers[] = {3, 1, 2};
	qsort(numbers, 3, sizeof(int), compare); /* its first call binds it lazily */
	raise(SIGUSR1);
	raise(SIGUSR2);
	recurse(20);
	puts("done");
	BREAKPOINT();
	return 0;
}
