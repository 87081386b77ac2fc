//===- Sha256.cpp - SHA-256 and HMAC --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/SigV4.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace inmem::fleet {

namespace {

constexpr size_t kBlock = 64;

constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Sha256 {
public:
  void add(std::string_view Bytes) {
    Length += Bytes.size();
    while (!Bytes.empty()) {
      const size_t Take = std::min(Bytes.size(), kBlock - Filled);
      std::memcpy(Block.data() + Filled, Bytes.data(), Take);
      Filled += Take;
      Bytes.remove_prefix(Take);
      if (Filled == kBlock)
        compress();
    }
  }
  Digest finish() {
    const uint64_t Bits = Length * 8;
    add(std::string_view("\x80", 1));
    while (Filled != kBlock - sizeof Bits)
      add(std::string_view("\0", 1));
    for (size_t I = 0; I < sizeof Bits; ++I)
      Block[Filled + I] = static_cast<uint8_t>(Bits >> (56 - 8 * I));
    compress();
    Digest Out;
    for (size_t I = 0; I < Out.size(); ++I)
      Out[I] = static_cast<uint8_t>(State[I / 4] >> (24 - 8 * (I % 4)));
    return Out;
  }

private:
  void compress();

  std::array<uint32_t, 8> State = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, kBlock> Block = {};
  size_t Filled = 0;
  uint64_t Length = 0;
};

void Sha256::compress() {
  std::array<uint32_t, 64> W;
  for (size_t I = 0; I < 16; ++I)
    W[I] = static_cast<uint32_t>(Block[4 * I]) << 24 |
           static_cast<uint32_t>(Block[4 * I + 1]) << 16 |
           static_cast<uint32_t>(Block[4 * I + 2]) << 8 | Block[4 * I + 3];
  for (size_t I = 16; I < 64; ++I) {
    const uint32_t S0 =
        std::rotr(W[I - 15], 7) ^ std::rotr(W[I - 15], 18) ^ (W[I - 15] >> 3);
    const uint32_t S1 =
        std::rotr(W[I - 2], 17) ^ std::rotr(W[I - 2], 19) ^ (W[I - 2] >> 10);
    W[I] = W[I - 16] + S0 + W[I - 7] + S1;
  }
  auto [A, B, C, D, E, F, G, H] = State;
  for (size_t I = 0; I < 64; ++I) {
    const uint32_t S1 = std::rotr(E, 6) ^ std::rotr(E, 11) ^ std::rotr(E, 25);
    const uint32_t T1 = H + S1 + ((E & F) ^ (~E & G)) + kRound[I] + W[I];
    const uint32_t S0 = std::rotr(A, 2) ^ std::rotr(A, 13) ^ std::rotr(A, 22);
    const uint32_t T2 = S0 + ((A & B) ^ (A & C) ^ (B & C));
    H = G;
    G = F;
    F = E;
    E = D + T1;
    D = C;
    C = B;
    B = A;
    A = T1 + T2;
  }
  const std::array<uint32_t, 8> Sum = {A, B, C, D, E, F, G, H};
  for (size_t I = 0; I < Sum.size(); ++I)
    State[I] += Sum[I];
  Filled = 0;
}

} // namespace

Digest sha256(std::string_view Bytes) {
  Sha256 Hash;
  Hash.add(Bytes);
  return Hash.finish();
}

Digest hmacSha256(std::string_view Key, std::string_view Bytes) {
  std::string Padded(Key);
  if (Key.size() > kBlock)
    Padded = bytesOf(sha256(Key));
  Padded.resize(kBlock);
  const auto Masked = [&](char With) {
    std::string Out = Padded;
    for (char &C : Out)
      C = static_cast<char>(C ^ With);
    return Out;
  };
  Sha256 Inner, Outer;
  Inner.add(Masked(0x36));
  Inner.add(Bytes);
  Outer.add(Masked(0x5c));
  Outer.add(bytesOf(Inner.finish()));
  return Outer.finish();
}

std::string hexOf(const Digest &D) {
  std::string Out;
  for (const uint8_t Byte : D)
    Out += fmt::format("{:02x}", Byte);
  return Out;
}

std::string base64Of(const Digest &D) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string Out;
  for (size_t I = 0; I < D.size(); I += 3) {
    uint32_t Three = 0;
    for (size_t J = I; J < I + 3; ++J)
      Three = Three << 8 | (J < D.size() ? D[J] : 0);
    for (size_t J = 0; J < 4; ++J)
      Out += I + J > D.size() ? '=' : kDigits[Three >> (18 - 6 * J) & 63];
  }
  return Out;
}

} // namespace inmem::fleet
