/* Lines of four, eight and sixteen multiplications, each waiting for the one before it: their shares of the time do not
 * hang on which of two neighbouring instructions a timer meets. */
#include <stdint.h>

static volatile uint64_t sink;

/* A square and one: no compiler folds two of them into one. */
#define STEP(x) (t = (x), t * t + 1)
#define FOUR(x) STEP(STEP(STEP(STEP(x))))
#define EIGHT(x) FOUR(FOUR(x))

int main(void)
{
	uint64_t t, x = 1;
	for (int i = 0; i < 15000000; i++) {
		x = FOUR(x);
		x = EIGHT(x);
		x = EIGHT(EIGHT(x));
	}
	sink = x;
	return 0;
}
