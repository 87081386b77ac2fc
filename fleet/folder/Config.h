//===- Config.h - fleet.toml: labels and sampling by service --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   [labels]                  # of each trace that has none of that name
//   team = "core"
//   [services.web]            # of this service; they come before the others
//   labels = { team = "web" }
//   sample_bytes = "512 KiB"  # in production
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_CONFIG_H
#define INMEM_FLEET_CONFIG_H

#include "fleet/tables/Batch.h"
#include "trace/read/Status.h"

namespace inmem::fleet {

struct ServiceConfig {
  DefaultLabels Labels;
  uint64_t SampleBytes = 0; ///< 0: each allocation is recorded
};

struct FleetConfig {
  DefaultLabels Labels;
  std::map<std::string, ServiceConfig, std::less<>> Services;

  /// Labels of a service: its specific ones, then the common ones.
  DefaultLabels labelsOf(std::string_view Service) const;
};

/// An error names file, line and column.
trace::Result<FleetConfig> readConfig(const std::string &Text,
                                      const std::string &Name);

/// An error about a label that INMEM_OPTIONS should hold.
trace::Status checkLabel(std::string_view Name, std::string_view Value);

/// A value of INMEM_OPTIONS for a service.
/// \param Labels of this run, such as its build; they come first
/// \param Exact no sampling
std::string optionsFor(const FleetConfig &Config, const std::string &Service,
                       DefaultLabels Labels, bool Exact);

} // namespace inmem::fleet

#endif
