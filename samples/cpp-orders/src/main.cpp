// orders [--index tree|hash] [--orders N]
#include "feed.hpp"
#include "ledger.hpp"
#include "pricing.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

template <class Index>
void book_all(std::uint64_t orders) {
  const Pricing pricing;
  Ledger<Index> ledger;
  Feed feed(orders);
  Order order;
  while (feed.next(order)) ledger.book(order, pricing);
  for (const auto& [name, account] : ledger.largest(5))
    std::cout << name << "  " << account.orders << " orders  " << static_cast<std::int64_t>(account.spent) << '\n';
}

int main(int argc, char** argv) {
  std::string_view index = "tree";
  std::uint64_t orders = 3'000'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--index") index = argv[i + 1];
    if (option == "--orders") orders = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (index == "tree") {
    book_all<std::map<std::string, Account>>(orders);
  } else if (index == "hash") {
    book_all<std::unordered_map<std::string, Account>>(orders);
  } else {
    std::cerr << "orders: --index wants tree or hash, not " << index << ".\n";
    return 2;
  }
}
