// Analytic queries in DuckDB on a generated table in memory, through its C++ interface: aggregates over groups, a join, a
// window, sorting, and text functions. Fixed work on THREADS threads.
//
//   duckdb ROUNDS [THREADS]
#include "duckdb.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

#include "ended.h"

namespace {

const char *const queries[] = {
    "SELECT region, count(*), sum(amount), avg(price), max(name) FROM orders GROUP BY region ORDER BY 3 DESC",
    "SELECT count(DISTINCT customer), quantile_cont(price, 0.9) FROM orders WHERE amount % 3 = 0",
    "SELECT sum(o.amount * c.weight) FROM orders o JOIN customers c ON o.customer = c.id WHERE c.weight > 10",
    "SELECT max(running) FROM (SELECT sum(amount) OVER (PARTITION BY region ORDER BY id) AS running FROM orders)",
    "SELECT id FROM orders ORDER BY price DESC, name LIMIT 100",
    "SELECT count(*) FROM orders WHERE regexp_matches(name, 'o.*[5-9]$') OR name LIKE '%77%'",
};

duckdb::unique_ptr<duckdb::MaterializedQueryResult> query(duckdb::Connection &connection, const std::string &text) {
  auto result = connection.Query(text);
  if (result->HasError()) {
    std::cerr << "duckdb: " << text << ": " << result->GetError() << "\n";
    std::exit(1);
  }
  return result;
}

}  // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  duckdb::DuckDB database(nullptr);
  duckdb::Connection connection(database);
  query(connection, std::string("PRAGMA threads=") + (argc > 2 ? argv[2] : "2"));
  query(connection, "SELECT setseed(0.5)");
  query(connection,
        "CREATE TABLE orders AS SELECT i AS id, (random() * 20000)::INT AS customer, (i * 7919) % 37 AS region, "
        "(random() * 1000)::INT AS amount, random() * 99 AS price, 'order ' || ((i * 104729) % 100003) AS name "
        "FROM range(400000) t(i)");
  query(connection, "CREATE TABLE customers AS SELECT i AS id, i % 29 AS weight FROM range(20000) t(i)");
  unsigned long long sum = 0;
  for (int i = 0; i < rounds; ++i)
    for (const char *text : queries) sum += query(connection, text)->RowCount();
  print_end(sum);
}
