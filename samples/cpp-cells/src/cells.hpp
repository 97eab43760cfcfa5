// Cells of a tree that is stored by the digests of its parts: equal cells are kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_set>

#include "digest.hpp"

struct Cell {
  std::uint8_t data[96];
  std::uint32_t references[4];
};

/// The cell with a number; every fourth is like one before it.
inline Cell cell(std::uint32_t number) {
  Cell made{};
  std::uint64_t x = number % 4 == 3 ? number / 8 : number;
  for (std::uint8_t& byte : made.data) byte = static_cast<std::uint8_t>((x = x * 6364136223846793005u + 1) >> 56);
  for (std::uint32_t& reference : made.references) reference = static_cast<std::uint32_t>((x = x * 6364136223846793005u + 1) >> 40);
  return made;
}

/// As a storage format wants it: each field by itself, numbers byte by byte, highest first.
[[gnu::noinline]] inline Digest::Value digest_of_fields(const Cell& cell, Rounds rounds) {
  Digest digest(rounds);
  for (const std::uint8_t& byte : cell.data) digest.update(&byte, 1);
  for (const std::uint32_t reference : cell.references)
    for (int shift = 24; shift >= 0; shift -= 8) {
      const auto byte = static_cast<std::uint8_t>(reference >> shift);
      digest.update(&byte, 1);
    }
  return digest.finish();
}

/// The same from one buffer, in one feed.
[[gnu::noinline]] inline Digest::Value digest_of_buffer(const Cell& cell, Rounds rounds) {
  std::uint8_t buffer[sizeof cell.data + sizeof cell.references];
  std::uint8_t* to = buffer;
  for (const std::uint8_t byte : cell.data) *to++ = byte;
  for (const std::uint32_t reference : cell.references)
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<std::uint8_t>(reference >> shift);
  Digest digest(rounds);
  digest.update(buffer, sizeof buffer);
  return digest.finish();
}

struct TreeIndex {
  std::map<Digest::Value, std::uint32_t> known;
  [[gnu::noinline]] bool insert(const Digest::Value& digest, std::uint32_t number) {
    return known.emplace(digest, number).second;
  }
};

struct HashIndex {
  struct Hash {
    std::size_t operator()(const Digest::Value& digest) const { return digest[0]; }
  };
  std::unordered_set<Digest::Value, Hash> known;
  [[gnu::noinline]] bool insert(const Digest::Value& digest, std::uint32_t) { return known.insert(digest).second; }
};
