// One of many units of a program with very large debug information. Compiled with -DUNIT=N; unit 0 has main().
// Every unit makes hundreds of instantiations of the standard containers over types of its own.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

namespace JOIN(unit, UNIT) {

template <int N>
struct Item {
  std::uint64_t key = N;
  double weight[N % 7 + 1] = {};
  std::string name;
  bool operator<(const Item& other) const { return key < other.key; }
};

template <int N>
struct Work {
  std::map<std::uint64_t, Item<N>> ordered;
  std::unordered_map<std::uint64_t, std::vector<Item<N>>> hashed;

  std::uint64_t run(std::uint64_t seed) {
    std::vector<Item<N>> items(8);
    for (auto& item : items) {
      item.key = seed = seed * 6364136223846793005ull + N;
      item.weight[0] = static_cast<double>(seed >> 40);
    }
    std::sort(items.begin(), items.end());
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.weight[0] < b.weight[0]; });
    for (auto& item : items) {
      ordered[item.key % 64] = item;
      hashed[item.key % 64].push_back(item);
    }
    std::uint64_t sum = 0;
    for (const auto& [key, item] : ordered) sum += key + item.key;
    for (const auto& [key, list] : hashed) sum += key + list.size();
    return sum;
  }
};

template <int... N>
std::uint64_t run_all(std::uint64_t seed, std::integer_sequence<int, N...>) {
  std::uint64_t sum = 0;
  ((sum += Work<N>().run(seed + N)), ...);
  return sum;
}

}  // namespace

std::uint64_t JOIN(run_unit, UNIT)(std::uint64_t seed) {
  return JOIN(unit, UNIT)::run_all(seed, std::make_integer_sequence<int, INSTANCES>());
}

#if UNIT == 0
#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "units.inc"  // the other units: EACH_UNIT(X) is X(0) X(1) …

#define DECLARE(n) std::uint64_t run_unit##n(std::uint64_t);
EACH_UNIT(DECLARE)

static std::uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000ull + now.tv_nsec;
}

// large SECONDS
int main(int argc, char** argv) {
  const std::uint64_t end = now_ns() + (argc > 1 ? std::atoi(argv[1]) : 10) * 1'000'000'000ull;
  std::uint64_t sum = 0;
  for (std::uint64_t seed = 1; now_ns() < end; ++seed) {
#define RUN(n) sum += run_unit##n(seed);
    EACH_UNIT(RUN)
  }
  std::printf("{\"sum\":\"%llx\",\"endedNs\":\"%llu\"}\n", static_cast<unsigned long long>(sum), static_cast<unsigned long long>(now_ns()));
}
#endif
