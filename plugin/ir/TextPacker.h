//===- TextPacker.h - the bytes of inmem_packed_texts -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_TEXTPACKER_H
#define INMEM_PLUGIN_IR_TEXTPACKER_H

#include "inmem/abi.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace inmem {

/// Packs text as abi.h describes it. At each position, uses the longest of the
/// latest repetitions that start with the same bytes.
class TextPacker {
public:
  explicit TextPacker(std::string_view Plain)
      : Plain(Plain), Before(Plain.size(), kNone) {}

  std::string pack() {
    size_t Copied = 0; // everything before it is in Packed
    for (size_t At = 0; At < Plain.size();) {
      const auto [Length, Distance] = repetitionAt(At);
      if (!Length) {
        note(At++);
        continue;
      }
      addPlain(Copied, At);
      addNumber(Length - INMEM_PACKED_MATCH);
      addNumber(Distance);
      for (const size_t End = At + Length; At < End; ++At)
        note(At);
      Copied = At;
    }
    // The reader stops once all bytes are present, after a plain part.
    addPlain(Copied, Plain.size());
    return std::move(Packed);
  }

private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Repetition {
    size_t Length, Distance;
  };

  std::string_view keyAt(size_t At) const {
    return Plain.substr(At, INMEM_PACKED_MATCH);
  }

  void note(size_t At) {
    if (At + INMEM_PACKED_MATCH > Plain.size())
      return;
    auto [Slot, IsNew] = Latest.try_emplace(keyAt(At), At);
    if (!IsNew)
      Before[At] = std::exchange(Slot->second, At);
  }

  Repetition repetitionAt(size_t At) const {
    Repetition Best = {0, 0};
    const auto Found = At + INMEM_PACKED_MATCH <= Plain.size()
                           ? Latest.find(keyAt(At))
                           : Latest.end();
    if (Found == Latest.end())
      return Best;
    size_t From = Found->second;
    for (int Tries = 48; Tries && From != kNone; --Tries, From = Before[From]) {
      const auto Rest = Plain.substr(At);
      const size_t Length =
          std::mismatch(Rest.begin(), Rest.end(), Plain.begin() + From).first -
          Rest.begin();
      // A more distant repetition must save more than its longer distance
      // costs.
      if (Length > Best.Length + 1)
        Best = {Length, At - From};
    }
    return Best.Length > INMEM_PACKED_MATCH || Best.Distance < 0x80
               ? Best
               : Repetition{0, 0};
  }

  void addNumber(size_t Number) {
    for (; Number >= 0x80; Number >>= 7)
      Packed.push_back(static_cast<char>(0x80 | (Number & 0x7f)));
    Packed.push_back(static_cast<char>(Number));
  }

  void addPlain(size_t Begin, size_t End) {
    addNumber(End - Begin);
    Packed.append(Plain.substr(Begin, End - Begin));
  }

  std::string_view Plain;
  std::unordered_map<std::string_view, size_t> Latest;
  std::vector<size_t> Before; ///< earlier position of the same bytes
  std::string Packed;
};

/// The packed form of \p Plain, which ends with a NUL.
inline std::string packText(std::string_view Plain) {
  return TextPacker(Plain).pack();
}

} // namespace inmem

#endif // INMEM_PLUGIN_IR_TEXTPACKER_H
