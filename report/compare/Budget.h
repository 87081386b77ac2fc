//===- Budget.h - Limits on a program's allocations -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A budget file as values, and back (docs/budgets.md describes the format). It
// does not depend on profiles: Check.h compares.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BUDGET_H
#define INMEM_REPORT_BUDGET_H

#include "report/base/Histogram.h"

#include <optional>
#include <string>
#include <string_view>

namespace inmem::report {

/// The figure that a limit applies to.
enum class Metric {
  Blocks,
  Bytes,
  LiveBlocks,
  LiveBytes,
  PeakBytes,
  PeakRss, ///< whole processes only
  TemporaryBlocks,
  Reallocations,
  Constructed,
  Alive,
  Copies,
  Moves,
  LifetimeP50,
  LifetimeP90,
  LifetimeP99,
  LifetimeMax
};

/// Kind of quantity that a metric measures.
enum class Dimension { Count, Bytes, Life };

struct MetricName {
  Metric What;
  std::string_view Word; ///< spelling in the file
  Dimension In;
  std::string_view Noun; ///< for sentences: `live blocks of Foo`
  /// Another word that a budget may use: the one in JSON reports, or in budgets
  /// written before Word was introduced. May be empty.
  std::string_view Alias = {};
  /// The name in the output of checks that scripts read (JSON, JUnit, SARIF),
  /// if it differs from Word. It never changes.
  std::string_view Code = {};

  std::string_view code() const { return Code.empty() ? Word : Code; }
};
/// All metrics, in the order of the enumeration.
std::span<const MetricName> metricNames();
const MetricName &nameOf(Metric What);

/// The rows that a limit applies to.
struct Subject {
  enum class Kind { Totals, Type, Site } Of = Kind::Totals;
  std::string Glob;  ///< for types and sites
  std::string Phase; ///< empty: the whole run

  /// As in the file: `phases.warmup.types.'Foo*'`.
  std::string str() const;
  bool operator==(const Subject &) const = default;
};

/// A line in the budget file, from 1; 0 if the limit is not from a file.
struct Position {
  uint32_t Line = 0, Column = 0;
};

struct Limit {
  Subject Of;
  Metric What = Metric::Blocks;
  std::optional<uint64_t> Max, Min;      ///< inclusive
  Unit LifetimeUnit = Unit::Nanoseconds; ///< for lifetimes
  Position At;
  std::string Because; ///< for limits that follow from a baseline
  std::string Called;  ///< the report's name for the blocks; empty: Of

  /// Its name: `types.'Foo*' blocks`.
  std::string str() const;
  /// Its name in output that scripts read.
  std::string code() const;
  /// Its name for people: `bytes of std::map<int, Foo> node`.
  std::string words() const;
  /// The offset in \p Words, a result of words(), of the name of a type or
  /// site; its size if there is none.
  static size_t nameIn(std::string_view Words);
};

/// Allowed increase of a figure over a baseline's.
struct Tolerance {
  double Percent = 0;
  uint64_t Plus = 0;

  /// The highest value allowed over Old; saturates.
  uint64_t above(uint64_t Old) const;
  /// `5 % + 16`.
  std::string str() const;
};
/// `5 %`, `16`, `1 KiB`, `5 % + 1 KiB`.
std::optional<Tolerance> parseTolerance(std::string_view Text);

/// Applies to each type, or each function with a site, that Of matches.
struct BaselineRule {
  Subject Of;
  Metric What = Metric::Blocks;
  Tolerance By;
  Position At;
};

struct Budget {
  std::string File;
  std::vector<Limit> Limits;          ///< in file order
  std::vector<BaselineRule> Baseline; ///< rules that set a Max

  /// The phases that limits name, without duplicates.
  std::vector<std::string> phases() const;
};

/// Reads TOML. Errors have the form `File:line:column: expected …, found …`.
/// \param File for messages
trace::Result<Budget> parseBudget(std::string_view Text,
                                  const std::string &File);

/// Rules for comparing with a baseline if the budget has none: blocks, bytes,
/// live bytes and the peak, for the totals and each type.
std::vector<BaselineRule> defaultBaseline(const Tolerance &By);

/// A TOML key or string, quoted if necessary.
std::string tomlQuoted(std::string_view Text);

} // namespace inmem::report

#endif
