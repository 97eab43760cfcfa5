// The stream of orders: the same ones in every run.
#pragma once

#include "order.hpp"

#include <cstdint>

class Feed {
 public:
  explicit Feed(std::uint64_t orders) : left_(orders) {}

  // Fills `order` with the next one; false at the end.
  bool next(Order& order);

 private:
  std::uint64_t left_;
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};
