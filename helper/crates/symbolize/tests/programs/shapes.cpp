// Inlined chains, templates, an anonymous namespace, a lambda and a static C++ function.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace shapes {
struct Sample {
    int weight = 0;
    std::string label;
};

static inline __attribute__((always_inline)) int innermost(int value) {
    volatile int kept = value;
    return kept * 3;
}

static inline __attribute__((always_inline)) int middle(int value) {
    return innermost(value) + 1;
}

template <typename T, int Step> __attribute__((noinline)) T stride(const std::vector<T> &values) {
    T sum = 0;
    for (size_t at = 0; at < values.size(); at += Step) {
        sum += middle(values[at]);
    }
    return sum;
}

namespace {
__attribute__((noinline)) int hidden(int value) { return middle(value) ^ 5; }
} // namespace
} // namespace shapes

int main(int argc, char **) {
    std::map<int, shapes::Sample> samples;
    std::vector<int> values;
    for (int at = 0; at < 100 * argc; ++at) {
        samples[at % 7].weight += at;
        values.push_back(at);
    }
    auto scale = [&](int by) __attribute__((noinline)) { return shapes::hidden(by) * argc; };
    std::printf("%d %d %d\n", shapes::stride<int, 3>(values), scale(4), samples[3].weight);
}
