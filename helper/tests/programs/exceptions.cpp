// Exceptions that leave through functions, some of which clean up.
#include <cstdio>
#include <stdexcept>
#include <string>

static long cleaned;

struct Ledger {
	struct Entry {
		~Entry() { cleaned++; }
	};
	__attribute__((noinline)) void check(int n)
	{
		if (n % 3 == 0)
			throw std::runtime_error(std::to_string(n));
	}
	__attribute__((noinline)) void book(int n)
	{
		Entry entry;
		check(n);
	}
};

int main()
{
	Ledger ledger;
	long caught = 0;
	for (int n = 0; n < 3000; n++)
		try {
			ledger.book(n);
		} catch (const std::exception &) {
			caught++;
		}
	std::printf("caught %ld cleaned %ld\n", caught, cleaned);
}
