//===- TypesText.cpp - Types of a trace as text ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/text/Text.h"

#include "trace/read/NumberText.h"
#include "trace/text/TextFields.h"

namespace inmem::trace {

void dumpTypes(const Trace &T, const TextSink &Sink, const DumpFilter *Only) {
  for (const Type &One : T.Types) {
    if (One.Index == 0 || (Only && !Only->type(One.Index)))
      continue;
    std::string Line = escaped(One.Name);
    Line += "  (" + number(One.Size) + " bytes, align " + number(One.Align);
    for (const Name &N : kTypeFlagNames)
      if (One.Flags & N.Value)
        Line += ", " + std::string(N.Text);
    Line += ", id " + hex(One.Id) + ")\n";
    Sink(Line);
    for (const Field &F : T.fields(One)) {
      std::string Offset = number(F.Offset);
      if (F.Kind == 8) // bit-field: byte.bit
        Offset += '.' + number(unsigned{F.Bit});
      Line = "  +" + Offset;
      Line.append(Offset.size() < 6 ? 6 - Offset.size() : 1, ' ');
      const std::string Size = number(F.Size);
      Line.append(Size.size() < 6 ? 6 - Size.size() : 0, ' ');
      Line += Size + "  ";
      if (F.Kind != 0)
        Line += std::string(nameOf(kFieldKindNames, F.Kind)) + ' ';
      Line += escaped(F.TypeName);
      if (!F.Name.empty())
        Line += ' ' + escaped(F.Name);
      Sink(Line + "\n");
    }
  }
}

std::string dump(const Trace &T, const DumpOptions &Options) {
  std::string Out;
  dump(T, Options, [&](std::string_view Piece) { Out += Piece; });
  return Out;
}

} // namespace inmem::trace
