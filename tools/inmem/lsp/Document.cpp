//===- Document.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Document.h"

#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

#include <algorithm>
#include <filesystem>

namespace inmem::tools {

using report::Json;

void EditedText::set(std::string To) {
  Text = std::move(To);
  Starts.assign(1, 0);
  for (size_t I = 0; I < Text.size(); ++I)
    if (Text[I] == '\n' ||
        (Text[I] == '\r' && (I + 1 == Text.size() || Text[I + 1] != '\n')))
      Starts.push_back(I + 1);
}

std::string_view EditedText::line(uint32_t Number) const {
  if (Number >= Starts.size())
    return {};
  const size_t End =
      Number + 1 < Starts.size() ? Starts[Number + 1] : Text.size();
  std::string_view Out(Text.data() + Starts[Number], End - Starts[Number]);
  while (Out.ends_with('\n') || Out.ends_with('\r'))
    Out.remove_suffix(1);
  return Out;
}

/// Length in bytes of a UTF-8 character, from its first byte; 1 if invalid.
static size_t lengthOf(char First) {
  const auto Byte = static_cast<unsigned char>(First);
  return Byte >= 0xf0 ? 4 : Byte >= 0xe0 ? 3 : Byte >= 0xc0 ? 2 : 1;
}

uint32_t EditedText::width(std::string_view Line, Columns In) {
  if (In == Columns::Utf8)
    return static_cast<uint32_t>(Line.size());
  uint32_t Out = 0;
  for (size_t I = 0; I < Line.size(); I += lengthOf(Line[I]))
    Out += lengthOf(Line[I]) == 4 ? 2 : 1;
  return Out;
}

size_t EditedText::byteAt(TextPosition At, Columns In) const {
  if (At.Line >= Starts.size())
    return Text.size();
  const std::string_view Line = line(At.Line);
  size_t I = 0;
  if (In == Columns::Utf8) {
    I = std::min<size_t>(At.Column, Line.size());
    while (I > 0 && I < Line.size() &&
           (static_cast<unsigned char>(Line[I]) & 0xc0) == 0x80)
      --I;
  } else {
    for (uint32_t Column = 0; I < Line.size(); I += lengthOf(Line[I]))
      if ((Column += lengthOf(Line[I]) == 4 ? 2 : 1) > At.Column)
        break;
  }
  return Starts[At.Line] + std::min(I, Line.size());
}

void EditedText::replace(TextPosition From, TextPosition To,
                         std::string_view With, Columns In) {
  size_t First = byteAt(From, In), Last = byteAt(To, In);
  if (Last < First)
    std::swap(First, Last);
  std::string Out = Text.substr(0, First);
  Out += With;
  Out += std::string_view(Text).substr(Last);
  set(std::move(Out));
}

uint64_t sourceHash(std::string_view Text) {
  const uint64_t Hash = XXH64(Text.data(), Text.size(), /*seed=*/0);
  return Hash ? Hash : 1;
}

static int digitOf(char C) {
  return C >= '0' && C <= '9'   ? C - '0'
         : C >= 'a' && C <= 'f' ? C - 'a' + 10
         : C >= 'A' && C <= 'F' ? C - 'A' + 10
                                : -1;
}

std::string pathOfUri(const std::string &Uri) {
  constexpr std::string_view kScheme = "file://";
  if (!Uri.starts_with(kScheme))
    return {};
  std::string_view Rest = std::string_view(Uri).substr(kScheme.size());
  if (Rest.starts_with("localhost/"))
    Rest.remove_prefix(std::string_view("localhost").size());
  if (!Rest.starts_with('/'))
    return {};
  std::string Out;
  for (size_t I = 0; I < Rest.size(); ++I) {
    if (Rest[I] == '%' && I + 2 < Rest.size() && digitOf(Rest[I + 1]) >= 0 &&
        digitOf(Rest[I + 2]) >= 0) {
      Out +=
          static_cast<char>(digitOf(Rest[I + 1]) * 16 + digitOf(Rest[I + 2]));
      I += 2;
    } else {
      Out += Rest[I];
    }
  }
  if (Out.find('\0') != std::string::npos)
    return {};
  std::error_code Error;
  const auto Canonical = std::filesystem::weakly_canonical(Out, Error);
  return Error ? Out : Canonical.string();
}

std::string uriOfPath(const std::string &Path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string Out = "file://";
  for (const char C : Path) {
    const auto Byte = static_cast<unsigned char>(C);
    const bool Plain = (C >= '0' && C <= '9') || (C >= 'a' && C <= 'z') ||
                       (C >= 'A' && C <= 'Z') ||
                       std::string_view("/-._~").find(C) != std::string::npos;
    if (Plain)
      Out += C;
    else
      ((Out += '%') += kDigits[Byte >> 4]) += kDigits[Byte & 15];
  }
  return Out;
}

std::optional<report::LineMap::Place> Document::place(uint32_t Line) {
  if (!Follows.Known) {
    if (Line > Text.lines())
      return std::nullopt;
    return report::LineMap::Place{Line, true};
  }
  if (!Follows.Map || Follows.MappedEdits != Edits) {
    Follows.Map = std::make_unique<report::LineMap>(Follows.Base, Text.text());
    Follows.MappedEdits = Edits;
  }
  return Follows.Map->at(Line);
}

std::string_view Document::wordAt(TextPosition At, Columns In) const {
  const std::string_view Line = Text.line(At.Line);
  if (Line.empty())
    return {};
  const auto IsWord = [&](size_t I) {
    const char C = Line[I];
    return C == '_' || (C >= '0' && C <= '9') || (C >= 'a' && C <= 'z') ||
           (C >= 'A' && C <= 'Z');
  };
  const size_t Byte = Text.byteAt(At, In) -
                      static_cast<size_t>(Line.data() - Text.text().data());
  size_t First = std::min(Byte, Line.size()), Last = First;
  while (First > 0 && IsWord(First - 1))
    --First;
  while (Last < Line.size() && IsWord(Last))
    ++Last;
  return Line.substr(First, Last - First);
}

std::optional<TextPosition> positionOf(const Json &Of) {
  if (!Of.is_object())
    return std::nullopt;
  TextPosition Out;
  for (const auto &[Key, Into] :
       {std::pair{"line", &Out.Line}, std::pair{"character", &Out.Column}}) {
    const auto Found = Of.find(Key);
    if (Found == Of.end() || !Found->is_number_unsigned())
      return std::nullopt;
    *Into = static_cast<uint32_t>(
        std::min<uint64_t>(Found->get<uint64_t>(), 0x7fffffff));
  }
  return Out;
}

std::optional<std::pair<TextPosition, TextPosition>> rangeOf(const Json &Of) {
  if (!Of.is_object() || !Of.contains("start") || !Of.contains("end"))
    return std::nullopt;
  const auto From = positionOf(Of["start"]), To = positionOf(Of["end"]);
  if (!From || !To)
    return std::nullopt;
  return std::pair(*From, *To);
}

Json rangeJson(TextPosition From, TextPosition To) {
  const auto One = [](TextPosition P) {
    return Json{{"line", P.Line}, {"character", P.Column}};
  };
  return {{"start", One(From)}, {"end", One(To)}};
}

} // namespace inmem::tools
