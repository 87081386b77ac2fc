//===- BlockUsers.h - Which code a function allocates for -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_BLOCKUSERS_H
#define INMEM_REPORT_FINDINGS_BLOCKUSERS_H

#include "report/model/Profile.h"

#include <span>
#include <string>

namespace inmem::report {

/// The functions of the program that call the \p Sites that belong to
/// the program too, with their share of the blocks: `; for parse 61 %, load
/// 39 %`. Call stacks show them, or else what was inlined. Empty: fewer than
/// two are known, or less than half of the blocks have one.
/// \param Sites indices into Profile::Sites
/// \param Blocks which of their blocks
std::string callersText(const Profile &P, std::span<const size_t> Sites,
                        uint64_t Counts::*Blocks);

/// True if all blocks of \p Sites were freed by functions of the program other
/// than the one that allocated them, so that they outlive it (frees=on). None:
/// not known, or some of both.
std::optional<bool> outliveFunction(const Profile &P,
                                    std::span<const size_t> Sites);

} // namespace inmem::report

#endif
