// One order, as it comes from the feed.
#pragma once

#include <cstdint>
#include <string>

struct Order {
  std::string account;
  std::uint32_t instrument;
  std::uint32_t quantity;
};
