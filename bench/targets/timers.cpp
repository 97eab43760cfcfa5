// A program whose author times its functions by hand: an object of each call measures from its construction to its destruction.
// With -DNO_TIMERS there is none.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#ifndef NO_TIMERS
struct Times {
    std::vector<std::uint32_t> ns;
};
static std::map<std::string, Times> all_times;

struct ScopedTimer {
    Times &times;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    explicit ScopedTimer(Times &of) : times(of) {}
    ~ScopedTimer() {
        auto taken = std::chrono::steady_clock::now() - start;
        times.ns.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
    }
};
#define TIMED(name)                             \
    static Times &times_of_it = all_times[name]; \
    ScopedTimer timer(times_of_it)

static void print_times() {
    for (auto &[name, times] : all_times) {
        auto &ns = times.ns;
        std::sort(ns.begin(), ns.end());
        std::uint64_t sum = 0;
        for (auto one : ns)
            sum += one;
        std::printf("%-16s %6zu calls  mean %7.1f us  p50 %7.1f  p99 %7.1f  max %7.1f\n", name.c_str(), ns.size(), sum / 1e3 / ns.size(),
                    ns[ns.size() / 2] / 1e3, ns[ns.size() * 99 / 100] / 1e3, ns.back() / 1e3);
    }
}
#else
#define TIMED(name) (void)0
static void print_times() {}
#endif

class Index {
  public:
    __attribute__((noinline)) void add(const std::string &text) {
        TIMED("Index::add");
        std::size_t start = 0;
        while (start < text.size()) {
            auto end = std::min(text.find(' ', start), text.size());
            if (end > start)
                lines_of[text.substr(start, end - start)].push_back(lines);
            start = end + 1;
        }
        lines++;
    }

    __attribute__((noinline)) std::size_t both(const std::string &one, const std::string &other) const {
        TIMED("Index::both");
        const auto &a = lines_of.at(one);
        const auto &b = lines_of.at(other);
        std::vector<std::uint32_t> found;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(found));
        return found.size();
    }

    __attribute__((noinline)) std::size_t compact() {
        TIMED("Index::compact");
        std::size_t freed = 0;
        for (auto &[word, lines] : lines_of) {
            auto before = lines.size();
            lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
            lines.shrink_to_fit();
            freed += before - lines.size();
        }
        return freed;
    }

  private:
    std::unordered_map<std::string, std::vector<std::uint32_t>> lines_of;
    std::uint32_t lines = 0;
};

int main(int count, char **arguments) {
    int texts = count > 1 ? std::atoi(arguments[1]) : 400;
    Index index;
    std::uint64_t state = 1;
    auto random = [&](std::uint32_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return std::uint32_t(state >> 33) % below;
    };
    std::size_t found = 0;
    for (int i = 0; i < texts; i++) {
        std::string text;
        for (int word = 0; word < 4000; word++)
            text += "w" + std::to_string(random(1 + random(500))) + ' ';
        index.add(text);
        if (i % 40 == 39)
            found += index.compact();
        if (i % 2 == 1)
            found += index.both("w" + std::to_string(random(3)), "w" + std::to_string(3 + random(3)));
    }
    print_times();
    std::printf("%zu\n", found);
}
