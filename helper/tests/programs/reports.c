/* Statically linked, and reports its allocations by probes: each byte as a sample. */
#include <stdlib.h>

static char pool[1 << 20];
static size_t used;

#define NOTE(name, semaphore, arguments)                                                       \
	".pushsection .note.stapsdt,\"\",\"note\"\n .balign 4\n .4byte 8, 6f-5f, 3\n .asciz \"stapsdt\"\n" \
	"5: .8byte 7b, _.stapsdt.base, " semaphore "\n .asciz \"otel_memory\"\n .asciz \"" name "\"\n .asciz \"" arguments "\"\n" \
	"6: .balign 4\n .popsection\n"                                                             \
	".ifndef _.stapsdt.base\n .pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n .weak _.stapsdt.base\n" \
	" .hidden _.stapsdt.base\n _.stapsdt.base: .space 1\n .size _.stapsdt.base, 1\n .popsection\n .endif\n"

/* The kernel raises it while somebody listens. */
volatile unsigned short listeners __attribute__((section(".probes"), used));

static __attribute__((noinline)) void *take(size_t size)
{
	char *p = pool + used;
	used += size;
	unsigned weight = size;
	if (listeners)
		asm volatile("7: nop\n" NOTE("alloc", "listeners", "8@%0 8@%1 4@%2") : : "r"(p), "m"(size), "r"(weight));
	return p;
}

static __attribute__((noinline)) void give(void *p)
{
	if (listeners)
		asm volatile("7: nop\n" NOTE("free", "listeners", "8@%0") : : "r"(p));
}

int main(void)
{
	void *volatile brief[100];
	for (int i = 0; i < 100; i++)
		take(300); /* kept */
	for (int i = 0; i < 100; i++)
		brief[i] = take(70); /* brief */
	for (int i = 0; i < 100; i++)
		give(brief[i]);
	return listeners == 0;
}
