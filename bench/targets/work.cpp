// A CPU-bound program of fixed work, with calls of changing depth: sorts, hashes and walks a tree.
// Prints the CPU time of its own process and the wall clock at its end, in nanoseconds. With LOG, each round is written
// there as two 64-bit numbers: when it ended (CLOCK_MONOTONIC) and the CPU time that it took, in nanoseconds.
//
//   work ROUNDS [LOG]
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

std::uint64_t draw(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

struct Node {
  std::uint64_t key;
  int left = -1, right = -1;
};

int insert(std::vector<Node>& tree, int at, std::uint64_t key) {
  if (at < 0) {
    tree.push_back({key});
    return static_cast<int>(tree.size()) - 1;
  }
  const bool less = key < tree[at].key;
  const int child = insert(tree, less ? tree[at].left : tree[at].right, key);
  (less ? tree[at].left : tree[at].right) = child;
  return at;
}

std::uint64_t walk(const std::vector<Node>& tree, int at, int depth) {
  if (at < 0) return 0;
  return tree[at].key * depth + walk(tree, tree[at].left, depth + 1) + walk(tree, tree[at].right, depth + 1);
}

std::uint64_t one_round(std::uint64_t& state) {
  std::vector<std::uint64_t> numbers(20'000);
  for (auto& number : numbers) number = draw(state);
  std::sort(numbers.begin(), numbers.end());
  std::unordered_map<std::string, std::uint64_t> counts;
  for (int i = 0; i < 4'000; ++i) ++counts[std::to_string(numbers[i] % 997)];
  std::vector<Node> tree;
  tree.reserve(5'000);
  int root = -1;
  for (int i = 0; i < 5'000; ++i) root = insert(tree, root, draw(state));
  return walk(tree, root, 1) + counts.size();
}

std::uint64_t ns(timeval t) { return t.tv_sec * 1'000'000'000ull + t.tv_usec * 1'000ull; }

std::uint64_t now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1'000'000'000ull + t.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 500;
  std::uint64_t state = 88172645463325252ull, sum = 0;
  const int log = argc > 2 ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t before = log < 0 ? 0 : now(CLOCK_PROCESS_CPUTIME_ID);
    sum += one_round(state);
    if (log < 0) continue;
    const std::uint64_t round[] = {now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID) - before};
    if (write(log, round, sizeof round) != sizeof round) return 1;
  }
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  std::printf("{\"sum\":\"%llx\",\"cpuNs\":%llu,\"endedNs\":\"%llu\"}\n", static_cast<unsigned long long>(sum),
              static_cast<unsigned long long>(ns(used.ru_utime) + ns(used.ru_stime)),
              static_cast<unsigned long long>(now(CLOCK_REALTIME)));
}
