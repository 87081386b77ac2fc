//===- Instructions.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/Instructions.h"

#if defined(__x86_64__)
#include "unwind/X86Decoder.h"
#endif

#include <string.h>

namespace inmem::rt {

#if defined(__x86_64__)
using x86::Decoder;
using x86::Flow;
using x86::Instruction;

bool leadsToCall(uintptr_t Code, uintptr_t Return) {
  constexpr uintptr_t kFarthest = 512; // bytes
  if (Code >= Return || Return - Code > kFarthest)
    return false;
  auto *At = reinterpret_cast<const uint8_t *>(Code);
  auto *End = reinterpret_cast<const uint8_t *>(Return);
  while (At != End) {
    const Instruction I = Decoder(At, End).decode();
    if (I.Length == 0 || (I.Then != Flow::Next && I.Then != Flow::Call))
      return false;
    At += I.Length;
    if (I.Then == Flow::Call)
      return At == End;
  }
  return false;
}

bool hasFixedFrame(uintptr_t Start, uintptr_t End) {
  constexpr uintptr_t kLongest = 8 << 10;                  // bytes
  constexpr uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa}; // endbr64
  constexpr uint8_t kFrame[] = {0x55, 0x48, 0x89, 0xe5};   // push, mov to %rbp
  if (Start >= End || End - Start > kLongest)
    return false;
  auto *At = reinterpret_cast<const uint8_t *>(Start);
  auto *const Stop = reinterpret_cast<const uint8_t *>(End);
  const auto StartsWith = [&](const uint8_t (&Bytes)[4]) {
    return Stop - At > 4 && memcmp(At, Bytes, 4) == 0;
  };
  if (StartsWith(kLanding))
    At += sizeof kLanding;
  if (!StartsWith(kFrame))
    return false;
  while (At < Stop) {
    const Instruction I = Decoder(At, Stop).decode();
    if (I.Length == 0 || I.SetsSp)
      return false;
    At += I.Length;
    const uintptr_t Target = reinterpret_cast<uintptr_t>(At) +
                             static_cast<uintptr_t>(intptr_t{I.Distance});
    // A part of the function that is elsewhere may set the stack pointer.
    if (I.Then == Flow::Branch && (Target < Start || Target >= End))
      return false;
  }
  return true;
}
#else
bool leadsToCall(uintptr_t Code, uintptr_t Return) {
  for (; Code < Return; Code += 4) {
    const uint32_t I = *reinterpret_cast<const uint32_t *>(Code);
    if (I >> 26 == 0x25 ||              // bl
        (I & 0xfefff000) == 0xd63f0000) // blr, with a signed address too
      return Code + 4 == Return;
    if (I >> 26 == 0x05 ||                // b
        (I & 0xff000000) == 0x54000000 || // b.cond
        (I & 0x7c000000) == 0x34000000 || // cbz, cbnz, tbz, tbnz
        (I & 0xfe000000) == 0xd6000000 || // br, ret
        (I & 0xff000000) == 0xd4000000)   // traps and system calls
      return false;
  }
  return false;
}

bool hasFixedFrame(uintptr_t, uintptr_t) { return false; }
#endif

} // namespace inmem::rt
