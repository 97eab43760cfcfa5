// Accounts and what they have bought, found by name through an index.
#pragma once

#include "order.hpp"
#include "pricing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  using Entry = std::pair<std::string, Account>;

  void book(const Order& order, const Pricing& pricing) {
    Account& account = index_[order.account];
    account.add(pricing.cost(order));
  }

  // The accounts that spent most, largest first.
  std::vector<Entry> largest(std::size_t count) const {
    std::vector<Entry> all(index_.begin(), index_.end());
    std::sort(all.begin(), all.end(), spent_more);
    all.resize(std::min(count, all.size()));
    return all;
  }

 private:
  static bool spent_more(const Entry& a, const Entry& b) {
    return a.second.spent > b.second.spent;
  }

  Index index_;
};
