// Fills a map of ENTRIES accounts, finds each, and removes every second one; each account gets a name that is freed at once. Prints
// the CPU time of the process in nanoseconds, and what it has counted of its own allocations: by `book`, how many and how many bytes,
// and what of these is left at the end; by `describe`, how many and how many bytes.
//
//   ledger ENTRIES
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <new>
#include <string>

struct Totals {
  long allocations = 0, bytes = 0, freed = 0;
};
static Totals booked, described;

/** The usual allocator, with a count. */
template <class T, Totals &totals> struct Counting {
  using value_type = T;
  template <class Other> struct rebind {
    using other = Counting<Other, totals>;
  };
  Counting() = default;
  template <class Other> Counting(const Counting<Other, totals> &) {}
  T *allocate(size_t count) {
    totals.allocations++;
    totals.bytes += count * sizeof(T);
    return static_cast<T *>(::operator new(count * sizeof(T)));
  }
  void deallocate(T *block, size_t count) {
    totals.freed += count * sizeof(T);
    ::operator delete(block);
  }
  bool operator==(const Counting &) const { return true; }
  bool operator!=(const Counting &) const { return false; }
};

struct Account {
  long balance;
  char rest[56];
};
using Accounts = std::map<long, Account, std::less<long>, Counting<std::pair<const long, Account>, booked>>;
using Text = std::basic_string<char, std::char_traits<char>, Counting<char, described>>;

static volatile long sink;

__attribute__((noinline)) static void book(Accounts &accounts, long number) {
  accounts[number].balance += number;  // the account
}

__attribute__((noinline)) static void describe(long number) {
  Text name(32 + number % 64, 'x');  // the name
  sink = sink + name[number % 32];
}

int main(int count, char **arguments) {
  const long entries = count > 1 ? std::atol(arguments[1]) : 1000;
  auto *accounts = new Accounts;  // never freed: what is left of it is in use at the end
  for (long i = 0; i < entries; ++i) {
    book(*accounts, i * 7919 % entries);
    describe(i);
  }
  for (long i = 0; i < entries; ++i) sink = sink + accounts->find(i)->second.balance;
  for (long i = 0; i < entries; i += 2) accounts->erase(i);
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  std::printf("%lld\n{\"book\":[%ld,%ld,%ld],\"describe\":[%ld,%ld,0]}\n", used.tv_sec * 1000000000ll + used.tv_nsec, booked.allocations,
              booked.bytes, booked.bytes - booked.freed, described.allocations, described.bytes);
}
