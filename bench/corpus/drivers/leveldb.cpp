// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills, reads, iterates and compacts a data base.
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include <cstdio>
#include <memory>
#include <string>

int main(int Count, char **Arguments) {
  if (Count < 2)
    return 2;
  leveldb::Options Options;
  Options.create_if_missing = true;
  Options.write_buffer_size = 256 << 10;
  std::unique_ptr<leveldb::Cache> Cache(leveldb::NewLRUCache(1 << 20));
  std::unique_ptr<const leveldb::FilterPolicy> Filter(
      leveldb::NewBloomFilterPolicy(10));
  Options.block_cache = Cache.get();
  Options.filter_policy = Filter.get();
  leveldb::DB *Opened = nullptr;
  if (!leveldb::DB::Open(Options, Arguments[1], &Opened).ok())
    return 1;
  std::unique_ptr<leveldb::DB> Base(Opened);
  unsigned Random = 1, Found = 0;
  for (int I = 0; I < 4000; ++I) {
    leveldb::WriteBatch Batch;
    for (int J = 0; J < 10; ++J) {
      Random = Random * 1103515245 + 12345;
      Batch.Put("key" + std::to_string(Random % 30000),
                std::string(50 + Random % 100, 'v'));
    }
    Base->Write(leveldb::WriteOptions(), &Batch);
  }
  std::string Value;
  for (int I = 0; I < 20000; ++I)
    Found +=
        Base->Get(leveldb::ReadOptions(), "key" + std::to_string(I), &Value)
            .ok();
  std::unique_ptr<leveldb::Iterator> Each(
      Base->NewIterator(leveldb::ReadOptions()));
  for (Each->SeekToFirst(); Each->Valid(); Each->Next())
    ++Found;
  Each.reset();
  Base->CompactRange(nullptr, nullptr);
  std::printf("%u\n", Found);
  return 0;
}
