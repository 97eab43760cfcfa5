/* Stacks that functions leave without returning, and where a thread begins. */
#include <pthread.h>
#include <setjmp.h>

#define NOINLINE __attribute__((noinline))

volatile int sink;
static jmp_buf back;
static sigjmp_buf far_back;

static NOINLINE void jump_from(int depth)
{
	if (depth)
		jump_from(depth - 1);
	else if (sink)
		siglongjmp(far_back, 1);
	else
		longjmp(back, 1);
	sink++;
}

static NOINLINE int jump(void)
{
	if (!setjmp(back))
		jump_from(3);
	sink = 1;
	if (!sigsetjmp(far_back, 1))
		jump_from(3);
	return sink;
}

static void *in_thread(void *unused)
{
	return unused;
}

static NOINLINE int run_thread(void)
{
	pthread_t thread;
	return pthread_create(&thread, 0, in_thread, 0) || pthread_join(thread, 0);
}

int main(void)
{
	__asm__ volatile("int3");
	int result = jump() + run_thread();
	__asm__ volatile("int3");
	return result;
}
