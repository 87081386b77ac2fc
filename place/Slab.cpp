//===- Slab.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Slab.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace inmem::place {

void die(const char *What) {
  const char *Parts[] = {"inmem: libinmem_place: ", What, "\n"};
  for (const char *Part : Parts)
    if (write(STDERR_FILENO, Part, strlen(Part)) < 0)
      break;
  abort();
}

//===----------------------------------------------------------------------===//
// Uniform slabs
//===----------------------------------------------------------------------===//

void prepareUniform(Slab &S, unsigned Bin) {
  const size_t Size = kSizes.SizeOf[Bin];
  S.become(SlabKind::Uniform);
  S.Size = static_cast<uint32_t>(Size);
  S.Reciprocal = static_cast<uint32_t>(((uint64_t{1} << 32) + Size - 1) / Size);
  S.Blocks = static_cast<uint16_t>(kSlab / Size);
  S.Used = S.FirstWord = 0;
  S.Bin = static_cast<uint8_t>(Bin);
  const size_t Words = (S.Blocks + size_t{63}) / 64;
  memset(S.Taken, 0, Words * sizeof *S.Taken);
  if (S.Blocks % 64) // bits past the last block count as taken
    S.Taken[Words - 1] = ~uint64_t{0} << S.Blocks % 64;
}

void *takeBlock(Slab &S) {
  unsigned Word = S.FirstWord;
  while (~S.Taken[Word] == 0)
    ++Word;
  S.FirstWord = static_cast<uint16_t>(Word);
  const unsigned Bit = static_cast<unsigned>(__builtin_ctzll(~S.Taken[Word]));
  S.Taken[Word] |= uint64_t{1} << Bit;
  ++S.Used;
  return S.Start + (size_t{Word} * 64 + Bit) * S.Size;
}

void putBack(Slab &S, const void *Block) {
  const uintptr_t Offset = reinterpret_cast<uintptr_t>(Block) & (kSlab - 1);
  const auto Index = static_cast<unsigned>((Offset * S.Reciprocal) >> 32);
  if (Index >= S.Blocks || Index * S.Size != Offset)
    die("free(): invalid pointer");
  const uint64_t Bit = uint64_t{1} << Index % 64;
  if (!(S.Taken[Index / 64] & Bit))
    die("free(): double free detected");
  S.Taken[Index / 64] &= ~Bit;
  if (Index / 64 < S.FirstWord)
    S.FirstWord = static_cast<uint16_t>(Index / 64);
  --S.Used;
}

//===----------------------------------------------------------------------===//
// Mixed slabs
//===----------------------------------------------------------------------===//

namespace {

unsigned lowestBit(uint64_t Word) {
  return static_cast<unsigned>(__builtin_ctzll(Word));
}

/// The first free granule from \p At on; S.Blocks if none.
unsigned nextFree(const Slab &S, unsigned At) {
  while (At < S.Blocks) {
    const uint64_t Rest = ~S.Taken[At / 64] >> At % 64;
    if (Rest)
      return At + lowestBit(Rest);
    At = (At / 64 + 1) * 64;
  }
  return S.Blocks;
}

/// Number of free granules from \p At on; counting ends once there are
/// \p Enough.
unsigned freeFrom(const Slab &S, unsigned At, unsigned Enough) {
  unsigned Count = 0;
  while (At < S.Blocks && Count < Enough) {
    const uint64_t Word = S.Taken[At / 64] >> At % 64;
    if (Word)
      return Count + lowestBit(Word);
    Count += 64 - At % 64;
    At = (At / 64 + 1) * 64;
  }
  return Count;
}

/// Sets or clears bits of Taken.
void setTaken(Slab &S, unsigned At, unsigned Count, bool Taken) {
  while (Count > 0) {
    const unsigned Here = Count < 64 - At % 64 ? Count : 64 - At % 64;
    const uint64_t Bits = (~uint64_t{0} >> (64 - Here)) << At % 64;
    if (Taken)
      S.Taken[At / 64] |= Bits;
    else
      S.Taken[At / 64] &= ~Bits;
    At += Here;
    Count -= Here;
  }
}

/// As above, just before \p At.
unsigned freeBefore(const Slab &S, unsigned At, unsigned Enough) {
  unsigned Count = 0;
  while (At > 0 && Count < Enough) {
    const unsigned Bits = (At - 1) % 64 + 1; // bits below At in its word
    const uint64_t Word = S.Taken[(At - 1) / 64] << (64 - Bits);
    if (Word)
      return Count + static_cast<unsigned>(__builtin_clzll(Word));
    Count += Bits;
    At -= Bits;
  }
  return Count;
}

unsigned granuleOf(const Slab &S, const void *Block) {
  const auto Offset =
      static_cast<size_t>(static_cast<const char *>(Block) - S.Start);
  const auto At = static_cast<unsigned>(Offset >> S.runs().Shift);
  if (!(S.Taken[At / 64] >> At % 64 & 1))
    die("free(): double free detected");
  if (Offset != size_t{At} << S.runs().Shift ||
      !(S.firsts()[At / 64] >> At % 64 & 1))
    die("free(): invalid pointer");
  return At;
}

unsigned lengthAt(const Slab &S, unsigned First) {
  unsigned At = First + 1;
  while (At < S.Blocks) {
    const uint64_t Ends = (~S.Taken[At / 64] | S.firsts()[At / 64]) >> At % 64;
    if (Ends)
      return At + lowestBit(Ends) - First;
    At = (At / 64 + 1) * 64;
  }
  return S.Blocks - First;
}

} // namespace

void prepareMixed(Slab &S, SlabKind Kind) {
  S.become(Kind);
  S.Blocks = static_cast<uint16_t>(S.runs().Granules);
  S.Used = S.FirstWord = 0;
  S.LongestRun = static_cast<uint16_t>(S.runs().Longest);
  memset(S.Taken, 0, S.Blocks / 8);
  memset(S.firsts(), 0, S.Blocks / 8);
}

void *takeRun(Slab &S, unsigned Granules) {
  unsigned Longest = 0, At = nextFree(S, S.FirstWord * 64U);
  S.FirstWord = static_cast<uint16_t>(At / 64);
  while (At < S.Blocks) {
    const unsigned Free = freeFrom(S, At, Granules);
    if (Free >= Granules) {
      setTaken(S, At, Granules, true);
      S.firsts()[At / 64] |= uint64_t{1} << At % 64;
      S.Used = static_cast<uint16_t>(S.Used + Granules);
      return S.Start + (size_t{At} << S.runs().Shift);
    }
    Longest = Free > Longest ? Free : Longest;
    At = nextFree(S, At + Free);
  }
  S.LongestRun = static_cast<uint16_t>(Longest);
  return nullptr;
}

unsigned putBackRun(Slab &S, const void *Block) {
  const unsigned At = granuleOf(S, Block), Count = lengthAt(S, At);
  S.firsts()[At / 64] &= ~(uint64_t{1} << At % 64);
  setTaken(S, At, Count, false);
  S.Used = static_cast<uint16_t>(S.Used - Count);
  if (At / 64 < S.FirstWord)
    S.FirstWord = static_cast<uint16_t>(At / 64);
  const unsigned Longest = S.runs().Longest;
  if (S.LongestRun < Longest) {
    const unsigned Run =
        freeBefore(S, At, Longest) + freeFrom(S, At, Longest); // merged
    if (Run > S.LongestRun)
      S.LongestRun = static_cast<uint16_t>(Run < Longest ? Run : Longest);
  }
  return Count;
}

bool isPageUsed(const Slab &S, size_t Offset, size_t Page) {
  const size_t Each = S.isMixed() ? size_t{1} << S.runs().Shift : S.Size;
  const auto First = static_cast<unsigned>(Offset / Each);
  auto Last = static_cast<unsigned>((Offset + Page - 1) / Each);
  if (Last >= S.Blocks) // past the last block of a uniform slab
    Last = S.Blocks - 1U;
  return First <= Last &&
         freeFrom(S, First, Last - First + 1) < Last - First + 1;
}

unsigned runLength(const Slab &S, const void *Block) {
  return lengthAt(S, granuleOf(S, Block));
}

} // namespace inmem::place
