// A digest of 256 bits, in the manner of hash functions that take blocks of 64 bytes. Not for cryptography.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Two implementations of the same function.
enum class Rounds { by_byte, by_word };

class Digest {
 public:
  using Value = std::array<std::uint64_t, 4>;

  explicit Digest(Rounds rounds) : rounds_(rounds) {}

  void update(const void* bytes, std::size_t length);
  Value finish();

 private:
  void compress(const std::uint8_t* block);

  Rounds rounds_;
  Value state_{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0x2545f4914f6cdd1d};
  std::uint8_t waiting_[64];
  std::size_t waiting_length_ = 0;
  std::uint64_t length_ = 0;
};
