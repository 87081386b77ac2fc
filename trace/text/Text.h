//===- Text.h - Traces as text, and back ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For people (`inmem dump`) and tests: one line a record,
//
//   header state=complete pid=7 clock=exact ticks-per-second=1000000000
//   extent meta
//     process "./app" "-v"
//     type index=1 id=0x10 size=24 align=8 flags=class name="Foo"
//       field name="next" offset=8 size=8 kind=pointer type-name="Foo *"
//     site id=1 type=1 key=0x77 kind=new line=3 function="_Z4makev" file="a.cc"
//       frame function="main" file="a.cc" line=9
//   extent rows owner=1
//     row site=1 type=1 allocations=3 bytes=72 frees=2 freed-bytes=48 ...
//       octave 5 1=2/48                  # bucket=count/bytes
//   extent events owner=1
//     event allocate site=1 size=24 time=10
//
// Omitted members are 0; `#` starts a comment; strings are quoted with C
// escapes. Octaves extents are made from the `octave` lines below rows.
// assemble() reads dump()'s output: dump(assemble(T)) == T for such T.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_TEXT_H
#define INMEM_TRACE_TEXT_H

#include "trace/read/Trace.h"

#include <functional>

namespace inmem::trace {

/// The lines of a dump to print. A dump with omitted lines cannot be assembled
/// again.
class DumpFilter {
public:
  virtual ~DumpFilter() = default;
  /// True if only rows of some types and sites are shown, else all.
  virtual bool choosesRows() const = 0;
  virtual bool row(uint32_t Site, uint32_t Type) const = 0;
  virtual bool type(uint32_t Index) const = 0;
  virtual bool site(uint32_t Id) const = 0;
  virtual bool thread(uint32_t Index) const = 0; ///< 0: the process
};

struct DumpOptions {
  bool Events = true;    ///< print each event, else one line with their bytes
  bool Comments = false; ///< offsets in the file, diagnostics
  const DumpFilter *Only = nullptr; ///< null: everything
};

/// Receives the text piece by piece (whole lines).
using TextSink = std::function<void(std::string_view)>;

/// Writes T as text. Damage ends an extent with a comment line.
void dump(const Trace &T, const DumpOptions &Options, const TextSink &Sink);
std::string dump(const Trace &T, const DumpOptions &Options = {});

/// The types of T with size, alignment, flags and fields, for people.
void dumpTypes(const Trace &T, const TextSink &Sink,
               const DumpFilter *Only = nullptr);

/// Writes the correct checksums into the bytes of one process's trace; the
/// header of a running process gets none.
void seal(std::span<std::byte> Bytes);

/// Builds the bytes of a trace from its text form, sealed.
/// \returns an error that names the line.
Result<std::vector<std::byte>> assemble(std::string_view Text);

/// A quoted string with C escapes (\n, \", \\, \xNN).
std::string quoted(std::string_view Text);
/// As above, without quotes, for terminals: only control characters are
/// escaped.
std::string escaped(std::string_view Text);

} // namespace inmem::trace

#endif
