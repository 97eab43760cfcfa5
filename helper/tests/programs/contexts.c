/* Works on a stack of its own, which makecontext has prepared: what runs there was called by nobody. */
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t caller, own;
static volatile unsigned long sum;

__attribute__((noinline)) void work(void)
{
	for (unsigned long i = 0; i < 2000000; i++)
		sum = sum * 31 + i; /* the work */
}

static void on_its_own_stack(void)
{
	for (;;) {
		work();
		swapcontext(&own, &caller);
	}
}

int main(void)
{
	static char stack[64 << 10];
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = sizeof(stack);
	own.uc_link = &caller;
	makecontext(&own, on_its_own_stack, 0);
	for (int i = 0; i < 200; i++)
		swapcontext(&caller, &own);
	return sum == 42;
}
