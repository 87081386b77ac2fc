//===- Imported.cpp - Other tools' profiles as traces ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/import/Imported.h"

#include "inmem/abi.h"
#include "trace/format/Format.h"
#include "trace/text/Names.h"
#include "trace/text/Text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace inmem::report {

uint32_t Imported::frame(const ImportedFrame &F) {
  const auto [At, New] =
      FrameNumbers.try_emplace(F, static_cast<uint32_t>(Frames.size() + 1));
  if (New)
    Frames.push_back(F);
  return At->second;
}

uint32_t Imported::stack(uint32_t Parent, uint32_t Frame) {
  const auto [At, New] = StackNumbers.try_emplace(
      {Parent, Frame}, static_cast<uint32_t>(Stacks.size() + 1));
  if (New)
    Stacks.emplace_back(Parent, Frame);
  return At->second;
}

uint32_t Imported::type(std::string_view Name) {
  if (Name.empty())
    return 0;
  const auto [At, New] = TypeNumbers.try_emplace(
      std::string(Name), static_cast<uint32_t>(Types.size() + 1));
  if (New)
    Types.emplace_back(Name);
  return At->second;
}

ImportedRow &Imported::row(uint32_t Stack, uint32_t Type) {
  const auto [At, New] = RowNumbers.try_emplace({Stack, Type}, Rows.size());
  if (New)
    Rows.push_back({Stack, Type, {}, 0});
  return Rows[At->second];
}

void Imported::nameFrames(const FrameNamer &Namer) {
  for (ImportedFrame &F : Frames)
    if (F.Offset)
      if (auto Found = Namer(F.Module, *F.Offset); !Found.empty())
        F.Locations = std::move(Found);
}

/// Functions of Rust's library down to its allocator's interface.
static bool isRustAllocator(std::string_view Name) {
  static constexpr std::string_view kBegin[] = {
      "alloc::alloc::",  "<alloc::alloc::Global as ",
      "__rust_alloc",    "__rust_realloc",
      "__rg_",           "__rdl_",
      "<dhat::Alloc as "};
  return std::ranges::any_of(
      kBegin, [&](std::string_view Begin) { return Name.starts_with(Begin); });
}

bool isAllocator(const ImportedFrame &F) {
  const std::string_view File =
      std::string_view(F.Module).substr(F.Module.rfind('/') + 1);
  for (const std::string_view Library :
       {"libjemalloc.so", "libtcmalloc", "libmimalloc"})
    if (File.starts_with(Library))
      return true;
  const std::string &Whole = F.Locations.back().Function;
  std::string_view Name = std::string_view(Whole).substr(0, Whole.find('('));
  if (isRustAllocator(Name))
    return true;
  // Prefixes of allocators that a program contains: je_malloc, tc_calloc.
  for (const std::string_view Prefix : {"je_", "tc_", "mi_"})
    if (Name.starts_with(Prefix))
      Name.remove_prefix(Prefix.size());
  static constexpr std::string_view kNames[] = {"malloc",
                                                "calloc",
                                                "realloc",
                                                "reallocarray",
                                                "memalign",
                                                "aligned_alloc",
                                                "posix_memalign",
                                                "valloc",
                                                "pvalloc",
                                                "operator new",
                                                "operator new[]",
                                                "__libc_malloc",
                                                "runtime.mallocgc",
                                                "runtime.newobject",
                                                "runtime.makeslice",
                                                "runtime.growslice",
                                                "__libc_calloc",
                                                "__libc_realloc",
                                                "mallocx",
                                                "rallocx",
                                                "new",
                                                "newarray",
                                                "new_nothrow",
                                                "newarray_nothrow",
                                                "je_prof_backtrace",
                                                "prof_backtrace_impl",
                                                "do_malloc",
                                                "DoSampledAllocation"};
  return std::ranges::find(kNames, Name) != std::end(kNames);
}

/// Splits "FILE:LINE", whose column is already removed, into file and line.
static void dropColumn(ImportedLocation &At) {
  const size_t Colon = At.File.rfind(':');
  if (Colon == std::string::npos)
    return;
  uint32_t Line = 0;
  const char *End = At.File.data() + At.File.size();
  const auto [Last, Error] =
      std::from_chars(At.File.data() + Colon + 1, End, Line);
  if (Error != std::errc() || Last != End)
    return;
  At.Line = Line;
  At.File.resize(Colon);
}

ImportedFrame valgrindFrame(std::string_view Text) {
  ImportedFrame Out;
  ImportedLocation At;
  if (const size_t Colon = Text.find(": ");
      Text.starts_with("0x") && Colon != std::string_view::npos)
    Text.remove_prefix(Colon + 2);
  std::string_view Name = Text;
  const size_t Open = Text.rfind(" (");
  if (Open != std::string_view::npos && Text.ends_with(')')) {
    const std::string_view In = Text.substr(Open + 2, Text.size() - Open - 3);
    const size_t Colon = In.rfind(':');
    const std::string_view Digits =
        Colon == std::string_view::npos ? "" : In.substr(Colon + 1);
    if (In.starts_with("in ")) {
      Out.Module = In.substr(3);
      Name = Text.substr(0, Open);
    } else if (!Digits.empty() && Digits.size() < 10 &&
               Digits.find_first_not_of("0123456789") ==
                   std::string_view::npos) {
      At.File = In.substr(0, Colon);
      At.Line = static_cast<uint32_t>(std::stoul(std::string(Digits)));
      dropColumn(At); // Rust's frames include the column: "main.rs:4:9"
      Name = Text.substr(0, Open);
    }
  }
  At.Function = Name == "???" && !Out.Module.empty()
                    ? Out.Module.substr(Out.Module.rfind('/') + 1)
                    : std::string(Name);
  Out.Locations.push_back(std::move(At));
  return Out;
}

/// The text form of the trace (trace/text/Text.h).
class TraceText {
public:
  explicit TraceText(const Imported &From) : In(From) {}

  std::string write() {
    number();
    header();
    meta();
    types();
    Out += "extent rows owner=1\n";
    std::vector<ImportedCounts> Sums;
    std::map<uint32_t, uint64_t> AtPeak;
    for (size_t I = 0; I < In.Rows.size(); ++I) {
      Sums.push_back(In.Rows[I].Sum);
      if (In.Rows[I].AtPeak > 0)
        AtPeak[IdOf[I]] += In.Rows[I].AtPeak;
    }
    rows(Sums);
    if (!AtPeak.empty()) {
      Out += "extent peak\n";
      for (const auto &[Id, Bytes] : AtPeak)
        line("at-peak site={} live={}", Id, Bytes);
    }
    uint64_t Sequence = 0;
    for (const ImportedMoment &M : In.Moments) {
      uint64_t Live = M.Live.value_or(0);
      for (const ImportedCounts &C : M.Rows)
        Live += C.Bytes - C.FreedBytes;
      line("extent snapshot sequence={} kind=periodic ticks={} unix-ns={} "
           "live-bytes={} peak-live-bytes={}",
           ++Sequence, M.Ns, In.StartUnixNs + M.Ns, Live, In.PeakBytes);
      rows(M.Rows);
    }
    return std::move(Out);
  }

private:
  template <class... T>
  void line(fmt::format_string<const T &...> Format, const T &...Values) {
    fmt::format_to(std::back_inserter(Out), Format, Values...);
    Out += '\n';
  }

  /// The innermost frame of a stack that is not the allocator's: a stack's
  /// number, or 0.
  uint32_t locationOf(uint32_t Stack) const {
    uint32_t At = Stack;
    while (At && isAllocator(frameOf(At)))
      At = In.Stacks[At - 1].first;
    return At ? At : Stack;
  }
  const ImportedFrame &frameOf(uint32_t Stack) const {
    return In.Frames[In.Stacks[Stack - 1].second - 1];
  }

  /// There are few ids of sites (trace/format/Format.h): the smallest rows
  /// share one that says so.
  void number() {
    constexpr size_t kMost = (size_t{1} << 20) - 64;
    std::vector<size_t> Order(In.Rows.size());
    for (size_t I = 0; I < Order.size(); ++I)
      Order[I] = I;
    const size_t Room = kMost / 2;
    if (Order.size() > Room)
      std::ranges::nth_element(
          Order, Order.begin() + static_cast<ptrdiff_t>(Room), std::greater<>(),
          [&](size_t I) {
            return std::max(In.Rows[I].Sum.Bytes, In.Rows[I].AtPeak);
          });
    Numbers.resize(In.Rows.size());
    for (size_t N = 0; N < Order.size(); ++N) {
      const ImportedRow &R = In.Rows[Order[N]];
      const uint32_t Location = N < Room && R.Stack ? locationOf(R.Stack) : 0;
      const auto [At, New] = Sites.try_emplace(
          {Location ? In.Stacks[Location - 1].second : 0, R.Type},
          static_cast<uint32_t>(Sites.size() + 1));
      Numbers[Order[N]] = {At->second, Location};
    }
    auto Next = static_cast<uint32_t>(Sites.size());
    IdOf.resize(In.Rows.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> Known;
    for (size_t I = 0; I < In.Rows.size(); ++I) {
      const auto &[Site, Location] = Numbers[I];
      if (Location == 0) {
        IdOf[I] = Site;
        continue;
      }
      const auto [At, New] = Known.try_emplace({Site, Location}, Next + 1);
      if (New)
        StackedOf[++Next] = {Site, Location};
      IdOf[I] = At->second;
    }
  }

  uint32_t flags() const {
    uint32_t Flags = uint32_t{trace::kFlagImported} | In.Unknown;
    if (In.Cut)
      Flags |= trace::kFlagCut;
    if (In.Unit == TimeUnit::Instructions)
      Flags |= trace::kFlagTimeInInstructions;
    if (In.Unit == TimeUnit::Bytes)
      Flags |= trace::kFlagTimeInBytes;
    return Flags;
  }

  void header() {
    uint64_t Live = 0;
    for (const ImportedRow &R : In.Rows)
      Live += R.Sum.Bytes - R.Sum.FreedBytes;
    line("header state=complete flags={} pid={} clock=exact "
         "ticks-per-second=1000000000 last-ticks={} start-unix-ns={} "
         "end-unix-ns={} live-bytes={} peak-live-bytes={}",
         flags(), In.Pid, In.DurationNs.value_or(0), In.StartUnixNs,
         In.DurationNs && In.StartUnixNs ? In.StartUnixNs + *In.DurationNs : 0,
         Live, In.PeakBytes);
  }

  void places(const char *Kind, std::span<const ImportedLocation> All) {
    for (const ImportedLocation &P : All)
      line("{} function={} file={} line={}", Kind, trace::quoted(P.Function),
           trace::quoted(P.File), P.Line);
  }

  void meta() {
    Out += "extent meta\n";
    if (!In.Command.empty()) {
      Out += "process";
      for (const std::string &Word : In.Command)
        Out += ' ' + trace::quoted(Word);
      Out += '\n';
    }
    line("thread index=1 tid={}", In.Pid);
    for (const std::string &Note : In.Notes)
      line("note kind=warning text={}", trace::quoted(Note));
    for (size_t I = 0; I < In.Types.size(); ++I)
      line("type index={} name={}", I + 1, trace::quoted(In.Types[I]));
    std::map<std::string, uint32_t> Modules;
    for (const ImportedFrame &F : In.Frames)
      if (!F.Module.empty() && Modules.try_emplace(F.Module).second)
        line("module id={} path={}",
             Modules[F.Module] = static_cast<uint32_t>(Modules.size()),
             trace::quoted(F.Module));
    for (size_t I = 0; I < In.Frames.size(); ++I) {
      const ImportedFrame &F = In.Frames[I];
      line("address id={} module={} offset={} function={}", I + 1,
           F.Module.empty() ? 0 : Modules[F.Module], I + 1,
           trace::quoted(F.Locations.back().Function));
      line("symbol address={}", I + 1);
      places("frame", F.Locations);
    }
    for (size_t I = 0; I < In.Stacks.size(); ++I)
      line("stack id={} parent={} address={}", I + 1, In.Stacks[I].first,
           In.Stacks[I].second);
    for (const auto &[Key, Id] : Sites) {
      const ImportedLocation Nowhere{Key.first ? "" : "(not distinguished)", "",
                                     0};
      const std::span<const ImportedLocation> Locations =
          Key.first ? std::span(In.Frames[Key.first - 1].Locations)
                    : std::span(&Nowhere, 1);
      line("site id={} type={} key={} kind=unknown function={} file={} line={}",
           Id, Key.second, keyOf(Locations[0], Key.second),
           trace::quoted(Locations[0].Function),
           trace::quoted(Locations[0].File), Locations[0].Line);
      places("frame", Locations.subspan(1));
    }
    for (const auto &[Id, Of] : StackedOf)
      line("stacked-site id={} site={} stack={}", Id, Of.first, Of.second);
  }

  /// Stable between runs, even if the line changes.
  uint64_t keyOf(const ImportedLocation &P, uint32_t Type) const {
    uint64_t Hash = 0xcbf29ce484222325u;
    for (const char C :
         P.Function + '\n' + P.File + '\n' + (Type ? In.Types[Type - 1] : ""))
      Hash = (Hash ^ static_cast<unsigned char>(C)) * 0x100000001b3u;
    return Hash ? Hash : 1;
  }

  void types() {
    std::vector<uint64_t> Live(In.Types.size() + 1), Peak(Live);
    for (const ImportedRow &R : In.Rows) {
      Live[R.Type] += R.Sum.Bytes - R.Sum.FreedBytes;
      Peak[R.Type] += std::max(R.Sum.Bytes - R.Sum.FreedBytes, R.AtPeak);
    }
    if (In.Types.empty())
      Peak[0] = In.PeakBytes;
    Out += "extent types\n";
    for (size_t I = 0; I < Live.size(); ++I)
      line("total live={} peak={}", Live[I], std::max(Peak[I], Live[I]));
  }

  /// A row of the trace for each site. Several imported rows may share one.
  void rows(std::span<const ImportedCounts> Sums) {
    struct Sum {
      uint32_t Type;
      ImportedCounts Of;
    };
    std::map<uint32_t, Sum> ById;
    for (size_t I = 0; I < Sums.size(); ++I) {
      const ImportedCounts &C = Sums[I];
      if (C.Allocations == 0)
        continue;
      ImportedCounts &To =
          ById.try_emplace(IdOf[I], Sum{In.Rows[I].Type, {}}).first->second.Of;
      To.Allocations += C.Allocations;
      To.Bytes += C.Bytes;
      To.Frees += C.Frees;
      To.FreedBytes += C.FreedBytes;
      To.Temporary += C.Temporary;
    }
    for (const auto &[Id, S] : ById)
      line("row site={} type={} allocations={} bytes={} frees={} "
           "freed-bytes={} temporary={}",
           Id, S.Type, S.Of.Allocations, S.Of.Bytes, S.Of.Frees,
           S.Of.FreedBytes, S.Of.Temporary);
  }

  const Imported &In;
  /// Ids of sites by frame and type; for rows with a stack, by site and stack.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Sites;
  std::vector<std::pair<uint32_t, uint32_t>> Numbers; ///< by row
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> StackedOf;
  std::vector<uint32_t> IdOf; ///< by row
  std::string Out;
};

trace::Result<std::vector<std::byte>> Imported::write() const {
  return trace::assemble(TraceText(*this).write());
}

std::span<const ImportFormat> importFormats() {
  static constexpr ImportFormat kAll[] = {
      {"heaptrack", "what `heaptrack` wrote, .gz and .zst too", readHeaptrack},
      {"dhat", "dhat.out.PID of valgrind --tool=dhat, dhat-heap.json of Rust",
       readDhat},
      {"massif", "massif.out.PID of valgrind --tool=massif", readMassif},
      {"pprof", "heap profiles as profile.proto: Go, gperftools, jemalloc",
       readPprof},
      {"otlp", "heap profiles of OpenTelemetry", readOtlp},
      {"gperftools", "heap profiles as text: HEAPPROFILE's, /pprof/heap",
       readHeapText},
      {"jemalloc", "heap profiles as text: jeprof.*.heap", readHeapText},
      {"go", "heap profiles as text: /debug/pprof/heap?debug=1", readHeapText},
      {"v8", "*.heapprofile of Node.js and Chromium", readV8}};
  return kAll;
}

} // namespace inmem::report
