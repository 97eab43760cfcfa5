// Accounts and what they have bought, found by name through an index of the caller's choice.
#pragma once

#include "order.hpp"
#include "pricing.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

struct Account {
  double spent = 0;
  std::uint64_t orders = 0;

  void add(double cost) {
    spent += cost;
    ++orders;
  }
};

// Index: a map from std::string to Account, such as std::map or std::unordered_map.
template <class Index>
class Ledger {
 public:
  void book(const Order& order, const Pricing& pricing) {
    Account& account = index_[order.account];
    account.add(pricing.cost(order));
  }

  // The accounts that spent most, largest first.
  std::vector<std::pair<std::string, Account>> largest(std::size_t count) const {
    std::vector<std::pair<std::string, Account>> all(index_.begin(), index_.end());
    const auto more = [](const auto& a, const auto& b) { return a.second.spent > b.second.spent; };
    count = std::min(count, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), more);
    all.resize(count);
    return all;
  }

 private:
  Index index_;
};
