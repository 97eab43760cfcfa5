// Leaf functions that keep a value below the stack pointer, and have a nop of five bytes behind that: newer kernels put a call there if it
// is probed. Prints how often the values were kept. x86-64.
#include <stdio.h>

enum { CALLS = 100000 };

#define LEAF(name, first, last)                               \
	long name(long value);                                \
	__asm__(".pushsection .text\n"                        \
		".globl " #name "\n"                          \
		".type " #name ", @function\n" #name ":\n"    \
		" .cfi_startproc\n" first                     \
		" mov %rdi, -8(%rsp)\n"                       \
		" .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"       \
		" mov -8(%rsp), %rax\n" last " ret\n"         \
		" .cfi_endproc\n"                             \
		".size " #name ", .-" #name "\n .popsection\n")

// Nothing but the nop could be probed without single-stepping.
LEAF(keeps_inside, "", "");
// The first instruction can.
LEAF(keeps_after_push, " push %rbx\n .cfi_adjust_cfa_offset 8\n", " pop %rbx\n .cfi_adjust_cfa_offset -8\n");
LEAF(keeps_after_nop, " nop\n", "");

static long kept(long (*leaf)(long))
{
	long kept = 0;
	for (long i = 1; i <= CALLS; i++)
		kept += leaf(i) == i;
	return kept;
}

int main(void)
{
	printf("%ld %ld %ld\n", kept(keeps_inside), kept(keeps_after_push), kept(keeps_after_nop));
	return 0;
}
