//===- Containers.h - Allocations of containers, by name ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_CONTAINERS_H
#define INMEM_DEBUGINFO_CONTAINERS_H

#include <string>
#include <string_view>
#include <vector>

namespace inmem::debuginfo {

/// The template arguments of a canonical name, at its end.
std::vector<std::string> templateArguments(std::string_view Class);

/// The family of allocators, which every container uses.
inline constexpr std::string_view kAllocator = "allocator";

/// Types of the blocks that a class of the C++ library allocates for itself.
struct ContainerBlocks {
  /// The container is of one family with its bases; empty: not a container.
  std::string_view Family;
  std::vector<std::string> Types; ///< canonical; empty: not known
};

/// \param Class canonical name, such as `std::vector<int>`
ContainerBlocks blocksOfContainer(const std::string &Class);

} // namespace inmem::debuginfo

#endif
