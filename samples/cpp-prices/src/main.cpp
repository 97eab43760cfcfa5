// Four workers price baskets. A cache keeps the price of each article; who misses it asks the service, which takes 2 ms to answer.
// With --fetch locked, as it was written first, the cache is locked meanwhile, and all workers wait for the one that asks.
// With --fetch unlocked, only those wait that ask.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

constexpr unsigned workers = 4, baskets = 200, articles = 40;

// The answer of the service: most of its 2 ms is the network.
std::uint64_t fetch(std::uint64_t article) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return article * 2654435761u % 10'000;
}

class Cache {
 public:
  explicit Cache(bool locked) : locked_(locked) {}

  std::uint64_t price(std::uint64_t article) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (auto known = prices_.find(article); known != prices_.end()) return known->second;
    if (!locked_) lock.unlock();
    const std::uint64_t price = fetch(article);
    if (!locked_) lock.lock();
    prices_[article] = price;
    return price;
  }

 private:
  const bool locked_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> prices_;
};

// Rounds the sum as the tax office wants it: work outside of the lock.
std::uint64_t rounded(std::uint64_t sum) {
  for (unsigned round = 0; round < 200'000; ++round) sum = sum * 6364136223846793005u + round;
  return sum;
}

// One article of each basket is new.
std::uint64_t price_baskets(Cache& cache, std::uint64_t worker) {
  std::uint64_t total = 0;
  for (std::uint64_t basket = 0; basket < baskets; ++basket) {
    for (std::uint64_t article = 0; article < articles; ++article) total += cache.price(article);
    total += cache.price(1000 + worker * baskets + basket);
    total ^= rounded(total);
  }
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const bool locked = argc < 2 || (argc == 3 && std::strcmp(argv[2], "locked") == 0);
  const bool unlocked = argc == 3 && std::strcmp(argv[2], "unlocked") == 0;
  if ((!locked && !unlocked) || (argc == 3 && std::strcmp(argv[1], "--fetch") != 0)) {
    std::fprintf(stderr, "usage: prices [--fetch locked|unlocked]\n");
    return 2;
  }
  Cache cache(locked);
  std::vector<std::uint64_t> totals(workers);
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] { totals[worker] = price_baskets(cache, worker); });
  for (auto& thread : threads) thread.join();
  std::uint64_t total = 0;
  for (const std::uint64_t one : totals) total ^= one;
  std::printf("%016llx\n", static_cast<unsigned long long>(total));
}
