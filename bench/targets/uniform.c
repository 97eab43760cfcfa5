/* Lines of known cost: each is a chain of multiplications that wait for one another, K × w of them, so a line's share of
 * the time is its w over the sum of all w. The chains stand twice, in falling and rising order of w.
 *
 *   uniform ROUNDS      compiled with -DK=4
 */
#include <stdlib.h>

#include "ended.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define CHAIN(w) __asm__ volatile(".rept " TEXT(K) " * " #w "\n imul %0, %0\n .endr" : "+r"(x))

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 1000000;
  unsigned long x = 3;
  for (long i = 0; i < rounds; ++i) {
    CHAIN(8);
    CHAIN(7);
    CHAIN(6);
    CHAIN(5);
    CHAIN(4);
    CHAIN(3);
    CHAIN(2);
    CHAIN(1);
    CHAIN(1);
    CHAIN(2);
    CHAIN(3);
    CHAIN(4);
    CHAIN(5);
    CHAIN(6);
    CHAIN(7);
    CHAIN(8);
  }
  print_end(x);
}
