//===- PageColumns.h - Columns of whole numbers ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_PAGECOLUMNS_H
#define INMEM_REPORT_PAGECOLUMNS_H

#include "report/formats/Json.h"
#include "trace/format/VarintFormat.h"

#include <string>
#include <vector>

namespace inmem::report {

/// Columns of LEB128 varints, one after another, with a directory of their
/// names and sizes.
class PageColumns {
public:
  template <class Range>
  void add(const std::string &Name, const Range &Values) {
    size_t Count = 0;
    for (const auto Value : Values) {
      put(static_cast<uint64_t>(Value));
      ++Count;
    }
    Directory.push_back({Name, Count, "u"});
  }
  /// Values below 0 too.
  void addSigned(const std::string &Name, const std::vector<int64_t> &Values) {
    for (const int64_t Value : Values)
      put(trace::zigzag(Value));
    Directory.push_back({Name, Values.size(), "s"});
  }
  /// Adds each value as the difference to the previous one.
  template <class Range>
  void addRising(const std::string &Name, const Range &Values) {
    int64_t Before = 0;
    size_t Count = 0;
    for (const auto Value : Values) {
      put(trace::zigzag(static_cast<int64_t>(Value) - Before));
      Before = static_cast<int64_t>(Value);
      ++Count;
    }
    Directory.push_back({Name, Count, "d"});
  }

  const Json &directory() const { return Directory; }
  const std::string &bytes() const { return Bytes; }

private:
  void put(uint64_t Value) {
    trace::putVarint(Value, [this](uint8_t Byte) {
      Bytes.push_back(static_cast<char>(Byte));
    });
  }

  Json Directory = Json::array();
  std::string Bytes;
};

} // namespace inmem::report

#endif
