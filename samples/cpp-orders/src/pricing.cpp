#include "pricing.hpp"

#include <cmath>

Pricing::Pricing() {
  prices_.reserve(500);
  for (int instrument = 0; instrument < 500; ++instrument) prices_.push_back(20.0 + 15.0 * std::sin(instrument));
}
