// Containers of the standard library: 40,000 nodes of a list are kept, a vector grows to 1,000,000 numbers and is freed.
#include <list>
#include <memory>
#include <vector>

struct Node {
	long words[10];
};

__attribute__((noinline)) static void keep(std::list<Node> &kept)
{
	kept.push_back(Node{}); // the node
}

__attribute__((noinline)) static long grow()
{
	std::vector<long> numbers;
	for (long i = 0; i < 1000000; i++)
		numbers.push_back(i); // the number
	return numbers.back();
}

static void *volatile sink;

struct alignas(64) Wide {
	char bytes[640];
};

int main()
{
	auto *kept = new std::list<Node>;
	for (int i = 0; i < 40000; i++)
		keep(*kept);
	for (int i = 0; i < 1000; i++)
		sink = new Wide; // the wide one
	return grow() == 999999 ? 0 : 1;
}
