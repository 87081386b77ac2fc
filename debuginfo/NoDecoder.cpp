//===- NoDecoder.cpp - In a build without capstone ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/Instruction.h"

namespace inmem::debuginfo {

struct Decoder::Engine {};

Decoder::Decoder(int) : Convention(nullptr) {}
Decoder::~Decoder() = default;

std::optional<Instruction> Decoder::decode(std::span<const unsigned char>,
                                           uint64_t) {
  return std::nullopt;
}

} // namespace inmem::debuginfo
