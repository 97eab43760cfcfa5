// What an order costs.
#pragma once

#include "order.hpp"

#include <vector>

class Pricing {
 public:
  Pricing();

  double cost(const Order& order) const {
    return gross(order) * (1.0 + fee(order.quantity));
  }

 private:
  double gross(const Order& order) const { return prices_[order.instrument] * order.quantity; }

  // Large orders pay less: the fee falls with every doubling of the quantity.
  static double fee(std::uint32_t quantity) {
    double rate = 0.004;
    for (; quantity > 1; quantity /= 2) rate *= 0.9;
    return rate;
  }

  std::vector<double> prices_;
};
