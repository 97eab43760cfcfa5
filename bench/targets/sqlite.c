/* A load in the manner of SQLite's own speed test on a database in memory: inserts, an index, range and LIKE queries, a
 * join, grouping and sorting, updates and deletes. Fixed work; links the library's one source file.
 *
 *   sqlite ROUNDS
 */
#include <stdlib.h>
#include <string.h>

#include "ended.h"
#include "sqlite3.h"

static sqlite3 *database;
static unsigned long long sum;

static void fail(const char *what) {
  fprintf(stderr, "sqlite: %s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

static sqlite3_stmt *prepare(const char *text) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database, text, -1, &statement, 0) != SQLITE_OK) fail(text);
  return statement;
}

/* Runs a statement to its end, adding up the first column of every row. */
static void run(sqlite3_stmt *statement) {
  int result;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) sum += sqlite3_column_int64(statement, 0);
  if (result != SQLITE_DONE) fail(sqlite3_sql(statement));
  sqlite3_reset(statement);
}

static void execute(const char *text) {
  sqlite3_stmt *statement = prepare(text);
  run(statement);
  sqlite3_finalize(statement);
}

static unsigned draw(void) {
  static unsigned state = 2463534242u;
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

/* A number in words, so that text columns have prefixes in common. */
static int in_words(unsigned n, char *text) {
  static const char *const words[] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
  char digits[16], *at = text;
  snprintf(digits, sizeof digits, "%u", n);
  for (const char *digit = digits; *digit; ++digit) at += sprintf(at, "%s ", words[*digit - '0']);
  return (int)(at - text);
}

enum { rows = 6000 };

static void insert_rows(const char *table) {
  char text[200];
  snprintf(text, sizeof text, "INSERT INTO %s VALUES(?1, ?2, ?3)", table);
  sqlite3_stmt *insert = prepare(text);
  execute("BEGIN");
  for (int i = 0; i < rows; ++i) {
    const unsigned number = draw() % 100000;
    sqlite3_bind_int64(insert, 1, i);
    sqlite3_bind_int64(insert, 2, number);
    sqlite3_bind_text(insert, 3, text, in_words(number, text), SQLITE_TRANSIENT);
    run(insert);
  }
  execute("COMMIT");
  sqlite3_finalize(insert);
}

static void query_ranges(void) {
  sqlite3_stmt *between = prepare("SELECT count(*), avg(b), sum(length(c)) FROM plain WHERE b BETWEEN ?1 AND ?2");
  sqlite3_stmt *indexed = prepare("SELECT count(*), avg(b), max(c) FROM indexed WHERE b BETWEEN ?1 AND ?2");
  for (int i = 0; i < 12; ++i) {
    const int low = draw() % 90000;
    for (int j = 0; j < 2; ++j) {
      sqlite3_bind_int(j ? indexed : between, 1, low);
      sqlite3_bind_int(j ? indexed : between, 2, low + 2000);
      run(j ? indexed : between);
    }
  }
  sqlite3_finalize(between);
  sqlite3_finalize(indexed);
}

static void one_round(void) {
  execute("CREATE TABLE plain(a INTEGER, b INTEGER, c TEXT)");
  execute("CREATE TABLE indexed(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)");
  execute("CREATE INDEX by_b ON indexed(b)");
  execute("CREATE INDEX by_c ON indexed(c)");
  insert_rows("plain");
  insert_rows("indexed");
  query_ranges();
  execute("SELECT count(*) FROM plain WHERE c LIKE '%seven eight%'");
  execute("SELECT a FROM plain ORDER BY c LIMIT 50");
  execute("SELECT b % 100, count(*), max(c) FROM plain GROUP BY 1 ORDER BY 2 DESC");
  execute("SELECT count(*) FROM plain p JOIN indexed i ON i.b = p.b WHERE p.c > i.c OR p.a < i.a");
  execute("SELECT sum(length(c)) FROM (SELECT DISTINCT substr(c, 1, 12) AS c FROM plain)");
  execute("UPDATE indexed SET b = b + 1 WHERE b BETWEEN 20000 AND 60000");
  execute("UPDATE plain SET c = upper(c) WHERE a % 3 = 0");
  execute("DELETE FROM indexed WHERE c LIKE 'nine%'");
  execute("DROP TABLE plain");
  execute("DROP TABLE indexed");
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK) fail("open");
  for (int i = 0; i < rounds; ++i) one_round();
  sqlite3_close(database);
  print_end(sum);
}
