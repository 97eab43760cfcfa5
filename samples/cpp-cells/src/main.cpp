// cells [--index tree|hash] [--feed fields|buffer] [--rounds byte|word] [--cells N]
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "cells.hpp"

struct Options {
  bool hash_index = false;
  bool one_feed = false;
  Rounds rounds = Rounds::by_byte;
  std::uint32_t cells = 500'000;
};

template <class Index>
std::uint32_t store_all(const Options& options) {
  Index index;
  std::uint32_t stored = 0;
  for (std::uint32_t number = 0; number < options.cells; ++number) {
    const Cell one = cell(number);
    const auto digest = options.one_feed ? digest_of_buffer(one, options.rounds) : digest_of_fields(one, options.rounds);
    stored += index.insert(digest, number);
  }
  return stored;
}

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    if (option == "--index") options.hash_index = value == "hash";
    if (option == "--feed") options.one_feed = value == "buffer";
    if (option == "--rounds") options.rounds = value == "word" ? Rounds::by_word : Rounds::by_byte;
    if (option == "--cells") options.cells = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
  }
  const std::uint32_t stored = options.hash_index ? store_all<HashIndex>(options) : store_all<TreeIndex>(options);
  std::cout << "cells: " << options.cells << ", stored " << stored << '\n';
}
