/*
 * One library of many: the tests and the benchmark copy it under other numbers, in place of the one here, which its
 * build-id holds, too.
 */
static volatile unsigned long sink;

__attribute__((noinline)) static void plugin_00000(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink += i;
}

void run(long rounds)
{
	plugin_00000(rounds);
	sink++; /* so that the call is none to the end */
}
