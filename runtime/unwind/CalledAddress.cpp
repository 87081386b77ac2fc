//===- CalledAddress.cpp - Which function a call names --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/UnwindTables.h"

#include "platform/Mappings.h"

#include <string.h>

namespace inmem::rt {

/// True if the eight bytes from \p Position on can be read.
static bool isReadableCode(uintptr_t Position) {
  const uintptr_t First = Position & ~uintptr_t{7};
  return isReadable(reinterpret_cast<const void *>(First)) &&
         isReadable(reinterpret_cast<const void *>(First + 8));
}

#if defined(__aarch64__)
/// Target of \p Code, a b or bl at \p Position.
static uintptr_t branchTarget(uintptr_t Position, uint32_t Code) {
  const int32_t Distance = static_cast<int32_t>(Code << 6) >> 4;
  return Position + static_cast<uintptr_t>(intptr_t{Distance});
}

bool isJump(uintptr_t Function, uintptr_t Target) {
  constexpr uint32_t kLanding = 0xd503245f; // bti c
  if (Function % 4 != 0 || !isReadableCode(Function))
    return false;
  uint32_t Code;
  memcpy(&Code, reinterpret_cast<const void *>(Function), sizeof Code);
  if (Code == kLanding) {
    Function += sizeof Code;
    memcpy(&Code, reinterpret_cast<const void *>(Function), sizeof Code);
  }
  return Code >> 26 == 0x05 && // b
         branchTarget(Function, Code) == Target;
}

uintptr_t calledFunction(CodeAddress Address) {
  const uintptr_t Position = Address - 3;
  if (Position % 4 != 0 ||
      !isReadable(reinterpret_cast<const void *>(Position & ~uintptr_t{7})))
    return 0;
  uint32_t Code;
  memcpy(&Code, reinterpret_cast<const void *>(Position), sizeof Code);
  if (Code >> 26 != 0x25) // bl
    return 0;
  return branchTarget(Position, Code);
}
#else
/// The address at the distance that is stored at \p Position, counted from \p
/// Next.
static uintptr_t relative(uintptr_t Position, uintptr_t Next) {
  int32_t Distance;
  memcpy(&Distance, reinterpret_cast<const void *>(Position), sizeof Distance);
  return Next + static_cast<uintptr_t>(intptr_t{Distance});
}

bool isJump(uintptr_t Function, uintptr_t Target) {
  constexpr uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa}; // endbr64
  if (!isReadableCode(Function) || !isReadableCode(Function + 4))
    return false;
  if (memcmp(reinterpret_cast<const void *>(Function), kLanding,
             sizeof kLanding) == 0)
    Function += sizeof kLanding;
  return *reinterpret_cast<const uint8_t *>(Function) == 0xe9 &&
         relative(Function + 1, Function + 5) == Target;
}

uintptr_t calledFunction(CodeAddress Address) {
  uintptr_t Return = Address + 1;
  auto Code = [](uintptr_t Position) {
    return reinterpret_cast<const unsigned char *>(Position);
  };
  auto Load = [&](uintptr_t Position) {
    uintptr_t Value = 0;
    if (isReadable(reinterpret_cast<const void *>(Position & ~uintptr_t{7})))
      memcpy(&Value, Code(Position), sizeof Value);
    return Value;
  };
  if (!isReadable(reinterpret_cast<const void *>((Return - 6) & ~uintptr_t{7})))
    return 0;
  uintptr_t Target = 0;
  if (*Code(Return - 5) == 0xE8)
    Target = relative(Return - 4, Return);
  else if (*Code(Return - 6) == 0xFF && *Code(Return - 5) == 0x15)
    return Load(relative(Return - 4, Return)); // through the GOT
  if (!Target ||
      !isReadable(reinterpret_cast<const void *>(Target & ~uintptr_t{7})))
    return 0;
  // A stub of the PLT jumps through the GOT.
  uintptr_t Stub = Target;
  if (memcmp(Code(Stub), "\xF3\x0F\x1E\xFA", 4) == 0) // endbr64
    Stub += 4;
  if (*Code(Stub) == 0xF2) // bnd
    ++Stub;
  if (*Code(Stub) == 0xFF && Code(Stub)[1] == 0x25)
    Target = Load(relative(Stub + 2, Stub + 6));
  return Target;
}
#endif

} // namespace inmem::rt
