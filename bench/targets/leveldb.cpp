// LevelDB as the distribution ships it: fills a database in memory-backed files and reads it at random, so many rounds.
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace {
constexpr int kKeys = 100'000;

std::string key(std::mt19937_64 &random) {
  char text[32];
  std::snprintf(text, sizeof text, "user:%012llu", static_cast<unsigned long long>(random() % kKeys));
  return text;
}

void check(const leveldb::Status &status) {
  if (status.ok() || status.IsNotFound()) return;
  std::fprintf(stderr, "leveldb: %s\n", status.ToString().c_str());
  std::exit(1);
}
} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  char folder[] = "/dev/shm/leveldb-XXXXXX";
  if (!mkdtemp(folder)) return 1;
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = leveldb::NewBloomFilterPolicy(10);
  leveldb::DB *db = nullptr;
  check(leveldb::DB::Open(options, std::string(folder) + "/db", &db));
  std::mt19937_64 random(1);
  std::string value(100, 'v'), found;
  size_t bytes = 0;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < kKeys / 4; i++) check(db->Put({}, key(random), value));
    for (int i = 0; i < kKeys; i++) {
      check(db->Get({}, key(random), &found));
      bytes += found.size();
    }
  }
  delete db;
  std::filesystem::remove_all(folder);
  std::printf("%zu bytes read\n", bytes);
}
