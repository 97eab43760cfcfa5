// Calls whose times are known, and calls that never return: prints what it has measured of itself.

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using Clock = std::chrono::steady_clock;

static uint64_t now_ns()
{
	return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

// Returns how long it took.
static inline uint64_t spin(uint64_t us)
{
	uint64_t began = now_ns(), now = began;
	while (now - began < us * 1000)
		now = now_ns();
	return now - began;
}

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t spin_for(uint64_t us)
{
	return spin(us);
}

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t in_thread(uint64_t us)
{
	return spin(us);
}

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t in_child(uint64_t us)
{
	return spin(us);
}

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t descend(uint64_t levels)
{
	if (levels == 0)
		return spin(20);
	uint64_t below = descend(levels - 1);
	asm volatile("" : "+r"(below)); // so that it is not made a loop
	return below + 1;
}

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t target(uint64_t us)
{
	return spin(us);
}

// Ends by a jump to another function.
extern "C" [[gnu::noinline, gnu::noclone]] uint64_t forward(uint64_t us)
{
	spin(us);
	return target(us + 1);
}

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t may_throw(uint64_t number)
{
	uint64_t took = spin(10);
	if (number % 3 == 0)
		throw std::runtime_error("a third");
	return took;
}

static std::jmp_buf start;

extern "C" [[gnu::noinline, gnu::noclone]] uint64_t may_leap(uint64_t number)
{
	uint64_t took = spin(10);
	if (number % 4 == 0)
		std::longjmp(start, 1);
	return took;
}

static void print_times(const char *name, std::vector<uint64_t> times)
{
	std::sort(times.begin(), times.end());
	uint64_t sum = 0;
	for (uint64_t time : times)
		sum += time;
	auto at = [&](double part) { return times[size_t(part * times.size() + 0.999999) - 1]; };
	printf("%s %zu %lu %lu %lu %lu %lu\n", name, times.size(), sum, times[0], at(0.5), at(0.99), times.back());
}

int main()
{
	std::vector<uint64_t> times;
	for (uint64_t i = 0; i < 1000; i++)
		times.push_back(spin_for(50 + i * i / 1000));
	print_times("spin_for", times);

	std::mutex all;
	std::vector<uint64_t> of_threads;
	std::vector<std::thread> threads;
	for (int t = 0; t < 4; t++)
		threads.emplace_back([&] {
			for (int i = 0; i < 250; i++) {
				uint64_t took = in_thread(40);
				std::lock_guard guard(all);
				of_threads.push_back(took);
			}
		});
	for (auto &thread : threads)
		thread.join();

	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			for (int call = 0; call < 50; call++)
				in_child(30);
			_exit(0);
		}
		wait(nullptr);
	}

	for (int i = 0; i < 10; i++)
		descend(99);
	for (int i = 0; i < 100; i++)
		forward(20);

	uint64_t thrown = 0;
	for (uint64_t i = 0; i < 200; i++) {
		try {
			may_throw(i);
		} catch (const std::runtime_error &) {
			thrown++;
		}
	}
	volatile uint64_t leapt = 0, number = 0;
	if (setjmp(start))
		leapt++;
	while (number < 200) {
		uint64_t of_it = number;
		number = of_it + 1;
		may_leap(of_it);
	}
	printf("thrown %lu leapt %lu\n", thrown, uint64_t(leapt));
}
