#include "feed.hpp"

#include <array>

namespace {

constexpr std::uint32_t accounts = 200'000;
constexpr std::uint32_t instruments = 500;

// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
std::uint64_t draw(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

void write_account(std::string& account, std::uint32_t number) {
  std::array<char, 16> digits;
  auto at = digits.end();
  for (int place = 0; place < 8; ++place) {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  account.assign("ACCOUNT-");
  account.append(at, digits.end());
}

}  // namespace

bool Feed::next(Order& order) {
  if (left_ == 0) return false;
  --left_;
  const std::uint64_t random = draw(state_);
  write_account(order.account, static_cast<std::uint32_t>((random >> 32) % accounts));
  order.instrument = static_cast<std::uint32_t>(random % instruments);
  order.quantity = 1 + static_cast<std::uint32_t>((random >> 16) % 1000);
  return true;
}
