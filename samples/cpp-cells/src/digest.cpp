#include "digest.hpp"

#include <algorithm>
#include <cstring>

namespace {

constexpr int PASSES = 8;

std::uint64_t rotated(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

void mix(Digest::Value& state, std::uint64_t word) {
  state[0] += word;
  state[3] = rotated(state[3] ^ state[0], 32);
  state[2] += state[3];
  state[1] = rotated(state[1] ^ state[2], 24);
  state[0] += state[1] + word;
  state[3] = rotated(state[3] ^ state[0], 16);
}

[[gnu::noinline]] void compress_by_byte(Digest::Value& state, const std::uint8_t* block) {
  for (int at = 0; at < PASSES * 64; at += 8) {
    std::uint64_t word = 0;
    for (int byte = 7; byte >= 0; --byte) {
      const volatile std::uint8_t* source = block + at % 64 + byte;  // volatile: the compiler would make one read of eight
      word = word << 8 | *source;
    }
    mix(state, word);
  }
}

[[gnu::noinline]] void compress_by_word(Digest::Value& state, const std::uint8_t* block) {
  for (int at = 0; at < PASSES * 64; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, block + at % 64, sizeof word);
    mix(state, word);
  }
}

}  // namespace

void Digest::compress(const std::uint8_t* block) {
  if (rounds_ == Rounds::by_byte)
    compress_by_byte(state_, block);
  else
    compress_by_word(state_, block);
}

void Digest::update(const void* bytes, std::size_t length) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  length_ += length;
  while (length > 0) {
    const std::size_t taken = std::min(length, sizeof waiting_ - waiting_length_);
    std::memcpy(waiting_ + waiting_length_, from, taken);
    waiting_length_ += taken;
    from += taken;
    length -= taken;
    if (waiting_length_ == sizeof waiting_) {
      compress(waiting_);
      waiting_length_ = 0;
    }
  }
}

Digest::Value Digest::finish() {
  std::memset(waiting_ + waiting_length_, 0, sizeof waiting_ - waiting_length_);
  compress(waiting_);
  for (int round = 0; round < 4; ++round) mix(state_, length_);
  return state_;
}
