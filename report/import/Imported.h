//===- Imported.h - Contents of another tool's profile ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common form between readers of other tools' files and the resulting
// trace. Figures that a format lacks are listed in Unknown: reports show them
// as unknown, and their numbers here only need to be consistent.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_IMPORT_IMPORTED_H
#define INMEM_REPORT_IMPORT_IMPORTED_H

#include "trace/read/Buffer.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace inmem::pprof {
class Profile;
}

namespace inmem::report {

struct ImportedLocation {
  std::string Function, File;
  uint32_t Line = 0;
  bool operator<(const ImportedLocation &Other) const {
    return std::tie(Function, File, Line) <
           std::tie(Other.Function, Other.File, Other.Line);
  }
};

/// An address of the program: the functions inlined there, then the containing
/// function. Never empty.
struct ImportedFrame {
  std::vector<ImportedLocation> Locations;
  std::string Module; ///< path; may be empty
  /// The call's distance from the start of the module's lowest mapping, if the
  /// profile has no names. See Imported::nameFrames().
  std::optional<uint64_t> Offset = std::nullopt;
  bool operator<(const ImportedFrame &Other) const {
    return std::tie(Module, Locations, Offset) <
           std::tie(Other.Module, Other.Locations, Other.Offset);
  }
};

/// Finds the names of a frame by a module's path and ImportedFrame::Offset,
/// innermost first; none if unknown.
using FrameNamer = std::function<std::vector<ImportedLocation>(
    const std::string &Module, uint64_t Offset)>;

struct ImportedCounts {
  uint64_t Allocations = 0, Bytes = 0, Frees = 0, FreedBytes = 0;
  uint64_t Temporary = 0;
};

/// Blocks of one stack and type.
struct ImportedRow {
  uint32_t Stack = 0, Type = 0;
  ImportedCounts Sum;
  uint64_t AtPeak = 0; ///< bytes
};

/// Blocks alive at a moment.
struct ImportedMoment {
  uint64_t Ns = 0;                  ///< in Imported::Unit
  std::vector<ImportedCounts> Rows; ///< as Imported::Rows; may be shorter
  /// Total bytes, if they are unknown by row.
  std::optional<uint64_t> Live = std::nullopt;
};

/// The unit in which a tool counts time.
enum class TimeUnit { Nanoseconds, Instructions, Bytes };

class Imported {
public:
  /// Stacks are numbered from 1. Each is the frame of its callee; 0: no stack.
  uint32_t frame(const ImportedFrame &F);
  uint32_t stack(uint32_t Parent, uint32_t Frame);
  uint32_t type(std::string_view Name); ///< 0 for an empty name
  /// The row of a stack and type.
  ImportedRow &row(uint32_t Stack, uint32_t Type = 0);
  /// Names frames that have only an offset, if \p Namer knows them.
  void nameFrames(const FrameNamer &Namer);

  std::string Tool; ///< "heaptrack"
  std::vector<std::string> Command;
  uint64_t Pid = 0, StartUnixNs = 0;
  std::optional<uint64_t> DurationNs;
  TimeUnit Unit = TimeUnit::Nanoseconds; ///< unit of Moments
  bool Cut = false;     ///< the file ends early; this is the readable part
  uint32_t Unknown = 0; ///< unknown bits of trace::HeaderFlags
  uint64_t PeakBytes = 0;
  std::vector<ImportedRow> Rows;
  std::vector<ImportedMoment> Moments; ///< in order of time
  std::vector<std::string> Notes;      ///< notes for the user

  /// The bytes of a trace.
  trace::Result<std::vector<std::byte>> write() const;

private:
  friend class TraceText;
  std::vector<ImportedFrame> Frames;
  std::vector<std::pair<uint32_t, uint32_t>> Stacks; ///< parent, frame
  std::vector<std::string> Types;
  std::map<ImportedFrame, uint32_t> FrameNumbers;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> StackNumbers;
  std::map<std::pair<uint32_t, uint32_t>, size_t> RowNumbers;
  std::map<std::string, uint32_t, std::less<>> TypeNumbers;
};

/// True for frames of the allocator itself, which are innermost in a stack.
bool isAllocator(const ImportedFrame &F);

/// A frame as valgrind's tools write it: `0x401136: f(int) (a.cpp:3)`.
ImportedFrame valgrindFrame(std::string_view Text);

struct ImportFormat {
  std::string_view Name, Help;
  trace::Result<Imported> (*Read)(const trace::Buffer &File);
};
std::span<const ImportFormat> importFormats();

/// The format of a file by its content: its first line, its members or its
/// bytes. Errors list all formats.
trace::Result<const ImportFormat *> detectFormat(const trace::Buffer &File);

trace::Result<Imported> readHeaptrack(const trace::Buffer &File);
trace::Result<Imported> readDhat(const trace::Buffer &File);
trace::Result<Imported> readMassif(const trace::Buffer &File);
/// Also reads the files of readHeapText(), as `go tool pprof` does.
trace::Result<Imported> readPprof(const trace::Buffer &File);
/// Heap profiles as text: gperftools', jemalloc's, and Go's with debug=1.
trace::Result<Imported> readHeapText(const trace::Buffer &File);
bool isHeapText(const trace::Buffer &File);
/// OpenTelemetry's profiles of v1development.
trace::Result<Imported> readOtlp(const trace::Buffer &File);
/// True if it begins like a file of readPprof() or readOtlp(). Traces begin
/// differently.
bool isHeapProfile(const trace::Buffer &File);
/// An in-memory trace of such a profile.
trace::Result<std::shared_ptr<const trace::Buffer>>
traceOfProfile(const trace::Buffer &File);
trace::Result<Imported> readV8(const trace::Buffer &File);

// PprofImport.cpp: A pprof message as a trace.

/// \param File for the positions in messages
trace::Result<Imported> importPprof(const pprof::Profile &From,
                                    const trace::Buffer &File);

} // namespace inmem::report

#endif
