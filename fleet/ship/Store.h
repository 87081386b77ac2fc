//===- Store.h - Where collected traces go --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store keeps objects under keys with `/` in them. A key identifies its
// content, so that an object is never replaced: putting an object that exists
// succeeds, and an interrupted put can be repeated.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_STORE_H
#define INMEM_FLEET_STORE_H

#include "trace/read/Status.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

namespace inmem::fleet {

struct PutOutcome {
  enum Kind {
    Added,
    Present, ///< another attempt or another host was faster
    Failed,  ///< may succeed later
    Refused  ///< permanently, for example because of a wrong secret
  } How = Added;
  std::string Why = {}; ///< for Failed and Refused, without credentials

  bool ok() const { return How == Added || How == Present; }
};

class Store {
public:
  virtual ~Store() = default;
  /// Stores the content of a file. After success, a crash of the store's
  /// machine does not lose the object.
  virtual PutOutcome put(const std::string &Key,
                         const std::filesystem::path &File) = 0;
  /// For messages.
  virtual std::string name() const = 0;
};

/// Sleeps so that at most a given number of bytes pass per second.
class Throttle {
public:
  /// \param BytesPerSecond 0: no limit
  explicit Throttle(uint64_t BytesPerSecond) : Limit(BytesPerSecond) {}
  uint64_t limit() const { return Limit; }
  /// Call this after Bytes have passed.
  void passed(uint64_t Bytes);

private:
  uint64_t Limit;
  double DebtSeconds = 0;
  int64_t LastNs = 0;
};

/// A folder, on this machine or mounted.
class DirectoryStore final : public Store {
public:
  DirectoryStore(std::filesystem::path Root, uint64_t BytesPerSecond)
      : Root(std::move(Root)), Rate(BytesPerSecond) {}
  PutOutcome put(const std::string &Key,
                 const std::filesystem::path &File) override;
  std::string name() const override { return Root.string(); }

private:
  void removeOldParts(const std::filesystem::path &Within);

  std::filesystem::path Root;
  Throttle Rate;
  std::set<std::filesystem::path> Swept; ///< folders
};

/// \param Url a folder's path, `file:///path` or `s3://bucket/prefix`
/// \param PartBytes larger objects are sent to S3 in parts
trace::Result<std::unique_ptr<Store>>
openStore(const std::string &Url, uint64_t BytesPerSecond, uint64_t PartBytes);

} // namespace inmem::fleet

#endif
