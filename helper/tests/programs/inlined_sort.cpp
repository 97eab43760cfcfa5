// Comparators that are inlined into the loops of std::sort, which the compiler rotates. They count themselves.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

struct Order {
	int account;
	double price;
	std::string name;
};

static long compared, added;

// Not to be merged.
static inline __attribute__((always_inline)) void count(long &calls)
{
	++const_cast<volatile long &>(calls);
}

struct ByPrice {
	bool operator()(const Order &a, const Order &b) const
	{
		count(compared);
		return a.price < b.price;
	}
};

struct Sum {
	double all = 0;
	void add(double price)
	{
		count(added);
		if (price > 0.5)
			all += price;
		else
			all -= 1;
	}
};

__attribute__((noinline)) void sort_orders(std::vector<Order> &orders)
{
	std::sort(orders.begin(), orders.end(), ByPrice());
}

__attribute__((noinline)) double sum_of(const std::vector<Order> &orders)
{
	Sum sum;
	for (const Order &order : orders) {
		sum.add(order.price);
		if (order.account == 3)
			sum.add(1.0);
	}
	return sum.all;
}

int main()
{
	std::vector<Order> orders;
	unsigned state = 1;
	for (int at = 0; at < 20000; at++) {
		state = state * 1103515245 + 12345;
		orders.push_back({static_cast<int>(state >> 16) % 10, state / 4294967296.0, "order"});
	}
	sort_orders(orders);
	double sum = sum_of(orders);
	printf("%ld %ld %f\n", compared, added, sum);
}
