// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The world as Debian's iso-codes package knows it: every country, subdivision,
// language, currency and script, as plain records.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace atlas {

enum Kind { Country, Subdivision, Language, Currency, Script };
inline constexpr const char *kKindNames[] = {"country", "subdivision",
                                             "language", "currency", "script"};

struct Record {
  Kind kind;
  std::string code;
  std::string name;
  std::string detail; // official name, kind of subdivision, numeric code …
};
using RecordPtr = std::shared_ptr<Record>;

class Catalog {
public:
  /// Reads the iso_*.json files of a folder; throws std::runtime_error that
  /// names the file if one is missing or malformed.
  static Catalog load(const std::filesystem::path &folder);

  const std::vector<RecordPtr> &records() const { return records_; }

private:
  void loadFile(const std::filesystem::path &file, const std::string &list,
                Kind kind, const char *codeKey, const char *detailKey);

  std::vector<RecordPtr> records_;
};

} // namespace atlas
