// Two loops of a known number of instructions, each on a line of its own: eight to a round, and four. All else that the program executes
// is less than a hundredth of them.
enum { ROUNDS = 100000000 };

#ifdef __aarch64__
#define COUNT_DOWN "subs %0, %0, #1\n b.ne 1b"
#else
#define COUNT_DOWN "dec %0\n jne 1b"
#endif
#define LOOP(nops, rounds) __asm__ volatile("1: " nops COUNT_DOWN : "+r"(rounds) : : "cc")

__attribute__((noinline)) static void of_eight(unsigned long rounds)
{
	LOOP("nop\n nop\n nop\n nop\n nop\n nop\n ", rounds); /* eight */
}

__attribute__((noinline)) static void of_four(unsigned long rounds)
{
	LOOP("nop\n nop\n ", rounds); /* four */
}

int main(void)
{
	of_eight(ROUNDS);
	of_four(ROUNDS);
	return 0;
}
