//===- Profile.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the copy, move and destruction of results here, instead of in each
// unit that uses them.
//
//===----------------------------------------------------------------------===//
#include "report/model/Profile.h"
#include "report/model/FieldResult.h"

namespace inmem::report {

ObjectCounts::ObjectCounts() = default;
ObjectCounts::~ObjectCounts() = default;
ObjectCounts::ObjectCounts(const ObjectCounts &) = default;
ObjectCounts::ObjectCounts(ObjectCounts &&) noexcept = default;
ObjectCounts &ObjectCounts::operator=(const ObjectCounts &) = default;
ObjectCounts &ObjectCounts::operator=(ObjectCounts &&) noexcept = default;

SiteResult::SiteResult() = default;
SiteResult::~SiteResult() = default;
SiteResult::SiteResult(const SiteResult &) = default;
SiteResult::SiteResult(SiteResult &&) noexcept = default;
SiteResult &SiteResult::operator=(const SiteResult &) = default;
SiteResult &SiteResult::operator=(SiteResult &&) noexcept = default;

TypeResult::TypeResult() = default;
TypeResult::~TypeResult() = default;
TypeResult::TypeResult(const TypeResult &) = default;
TypeResult::TypeResult(TypeResult &&) noexcept = default;
TypeResult &TypeResult::operator=(const TypeResult &) = default;
TypeResult &TypeResult::operator=(TypeResult &&) noexcept = default;

PhaseResult::PhaseResult() = default;
PhaseResult::~PhaseResult() = default;
PhaseResult::PhaseResult(const PhaseResult &) = default;
PhaseResult::PhaseResult(PhaseResult &&) noexcept = default;
PhaseResult &PhaseResult::operator=(const PhaseResult &) = default;
PhaseResult &PhaseResult::operator=(PhaseResult &&) noexcept = default;

ProcessResult::ProcessResult() = default;
ProcessResult::~ProcessResult() = default;
ProcessResult::ProcessResult(const ProcessResult &) = default;
ProcessResult::ProcessResult(ProcessResult &&) noexcept = default;
ProcessResult &ProcessResult::operator=(const ProcessResult &) = default;
ProcessResult &ProcessResult::operator=(ProcessResult &&) noexcept = default;

Profile::Profile() = default;

static std::optional<uint64_t>
sumOver(const std::vector<ProcessResult> &Processes,
        std::optional<uint64_t> ProcessResult::*Figure) {
  if (Processes.empty())
    return std::nullopt;
  uint64_t Sum = 0;
  for (const ProcessResult &P : Processes) {
    if (!(P.*Figure))
      return std::nullopt;
    Sum += *(P.*Figure);
  }
  return Sum;
}

std::optional<uint64_t> Profile::residentBytes() const {
  return sumOver(Processes, &ProcessResult::ResidentBytes);
}
std::optional<uint64_t> Profile::peakResidentBytes() const {
  return sumOver(Processes, &ProcessResult::PeakResidentBytes);
}
Profile::~Profile() = default;
Profile::Profile(const Profile &) = default;
Profile::Profile(Profile &&) noexcept = default;
Profile &Profile::operator=(const Profile &) = default;
Profile &Profile::operator=(Profile &&) noexcept = default;

} // namespace inmem::report
