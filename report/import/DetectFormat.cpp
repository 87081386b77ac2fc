//===- DetectFormat.cpp - Which tool wrote a profile ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "formats/otlp.pb.h"
#include "formats/pprof.pb.h"
#include "report/formats/Json.h"
#include "report/import/Imported.h"
#include "report/import/LineReader.h"
#include "report/import/Offsets.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Reads an object up to the first member that only DHAT or V8 has.
class MemberFinder : public nlohmann::json_sax<Json> {
public:
  std::string_view Format;

  bool key(std::string &Name) override {
    if (Depth != 1)
      return true;
    if (Name == "dhatFileVersion")
      Format = "dhat";
    else if (Name == "head" || Name == "snapshot") // V8's reader explains it
      Format = "v8";
    return Format.empty();
  }
  bool start_object(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return false;
  }

private:
  bool open() {
    ++Depth;
    return true;
  }
  bool close() {
    --Depth;
    return true;
  }
  size_t Depth = 0;
};

/// The format of a line-based file, from its first line.
std::string_view formatOfLine(std::string_view Line) {
  for (const std::string_view Key : {"desc:", "cmd:", "time_unit:"})
    if (Line.starts_with(Key))
      return "massif";
  uint64_t Version = 0;
  if (Line.starts_with("v ") && takeNumber(Line = Line.substr(2), Version, 16))
    return "heaptrack";
  return {};
}

/// One reader reads all three.
std::string_view formatOfHeapText(std::string_view Head) {
  if (Head.starts_with("heap_v2/"))
    return "jemalloc";
  return Head.substr(0, Head.find('\n')).find("@ heap/") != Head.npos
             ? "go"
             : "gperftools";
}

std::string_view formatName(const trace::Buffer &File) {
  const std::string_view Text(
      reinterpret_cast<const char *>(File.bytes().data()), File.bytes().size());
  if (isHeapText(File))
    return formatOfHeapText(Text);
  Lines In(File);
  std::string_view Line;
  if (!In.next(Line))
    return {};
  if (const std::string_view Name = formatOfLine(Line); !Name.empty())
    return Name;
  if (const size_t First = Text.find_first_not_of(" \t\r\n");
      First != Text.npos && Text[First] == '{') {
    MemberFinder Finder;
    Json::sax_parse(Text, &Finder);
    return Finder.Format;
  }
  // Each protobuf begins with a field that has a length: the first one of
  // pprof, one of the two of OpenTelemetry.
  if (!Text.starts_with('\n') && !Text.starts_with('\x12'))
    return {};
  // OpenTelemetry's bytes may parse as pprof, but then have no strings.
  constexpr int kStrings = pprof::Profile::kStringTableFieldNumber;
  if (!firstBadByte(File.bytes(), *pprof::Profile::descriptor()) &&
      offsetOfElement(File.bytes(), kStrings, 0) < Text.size())
    return "pprof";
  return firstBadByte(File.bytes(), *otlp::ProfilesData::descriptor()) ? ""
                                                                       : "otlp";
}

} // namespace

trace::Result<const ImportFormat *> detectFormat(const trace::Buffer &File) {
  const auto Formats = importFormats();
  const auto Found =
      std::ranges::find(Formats, formatName(File), &ImportFormat::Name);
  if (Found != Formats.end())
    return &*Found;
  std::string Names;
  for (const ImportFormat &F : Formats)
    Names += fmt::format("{}{}",
                         Names.empty()           ? ""
                         : &F == &Formats.back() ? " or "
                                                 : ", ",
                         F.Name);
  const std::string_view Text(
      reinterpret_cast<const char *>(File.bytes().data()), File.bytes().size());
  return trace::Status::at(
      File.name(), 0, "format that --format did not name", Names,
      Text.empty() ? "an empty file"
                   : foundText(Text.substr(0, Text.find('\n'))));
}

} // namespace inmem::report
