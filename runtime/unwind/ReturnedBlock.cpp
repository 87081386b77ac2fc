//===- ReturnedBlock.cpp - Allocation wrappers, by their code -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/Instructions.h"

#if defined(__x86_64__)
#include "unwind/X86BlockSearch.h"
#else
#include "unwind/AArch64BlockSearch.h"
#endif

namespace inmem::rt {

#if defined(__x86_64__)
namespace machine = x86;
#else
namespace machine = aarch64;
#endif

ReturnedBlock followBlock(uintptr_t Return, uintptr_t Start, uintptr_t End) {
  constexpr uintptr_t kLongest = 64 << 10; // bytes
  if (Start >= Return || Return >= End || End - Start > kLongest)
    return {};
  Holders Block;
  if (Holders::InFrame Slot; machine::storesBlock(Return, Start, Slot))
    Block.setSlot(Slot, true);
  else
    Block.set(machine::kResult, true);
  const auto Returns = [&](Follow What) {
    return machine::ReturnSearch(Start, End, What).returnsFrom(Return, Block);
  };
  const bool Returned = Returns(Follow::Memory);
  const bool Made = !Returned && Returns(Follow::Objects);
  return {Returned, Made,
          (Returned || Made) && machine::hasConstantSize(Return, Start)};
}

} // namespace inmem::rt
