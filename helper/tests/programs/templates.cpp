// A sort with a comparator that costs: templates, a lambda and inlined code below main.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

template <typename Value> struct Scorer {
	unsigned rounds;

	__attribute__((noinline)) std::uint64_t score(Value value) const
	{
		std::uint64_t x = value;
		for (unsigned i = 0; i < rounds; i++)
			x = x * 6364136223846793005u + 1; /* the work */
		return x;
	}
};

template <typename Value> static void sort_by_score(std::vector<Value> &values, const Scorer<Value> &scorer)
{
	std::sort(values.begin(), values.end(),
	          [&](Value a, Value b) { return scorer.score(a) < scorer.score(b); /* the comparison */ });
}

int main()
{
	std::vector<std::uint32_t> values(50000);
	for (std::uint32_t i = 0; i < values.size(); i++)
		values[i] = i * 2654435761u;
	sort_by_score(values, Scorer<std::uint32_t>{300});
	std::printf("first %u\n", values.front());
}
