#pragma once
#include <stdint.h>

/* xorshift64, the same numbers in each run. */
static uint64_t random_number(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}
