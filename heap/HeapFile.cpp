//===- HeapFile.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapFile.h"
#include "report/model/LibraryCode.h"
#include "report/names/TypeName.h"
#include "trace/format/Format.h"
#include "trace/format/VarintFormat.h"

#include <cstring>
#include <map>

namespace inmem::heap {

using trace::Result;
using trace::Status;

namespace {

/// Reads numbers of one section, never past its end.
class Reader {
public:
  Reader(const trace::Buffer &File, const Section &From, uint64_t End)
      : File(File), Bytes(File.bytes()), At(From.At),
        End(std::min<uint64_t>(End, Bytes.size())) {
    Bad = At > this->End;
  }

  uint64_t number() {
    uint64_t Value;
    if (trace::takeVarint(Value, [this](uint8_t &Byte) {
          if (At >= End)
            return false;
          Byte = std::to_integer<uint8_t>(Bytes[At++]);
          return true;
        }))
      return Value;
    fail("a number");
    return 0;
  }
  int64_t signedNumber() { return trace::fromZigzag(number()); }
  uint32_t below(uint64_t Limit, const char *What) {
    const uint64_t N = number();
    if (N < Limit)
      return static_cast<uint32_t>(N);
    fail(What);
    return 0;
  }
  std::string_view text(uint64_t Length) {
    if (Length > End - At) {
      fail("text");
      return {};
    }
    const auto *From = reinterpret_cast<const char *>(&Bytes[0]) + At;
    At += Length;
    return {From, Length};
  }
  bool ok() const { return !Bad; }
  /// True if Count records of at least \p Least bytes fit.
  bool fits(uint64_t Count, uint64_t Least = 1) {
    if (Bad || Count > (End - At) / Least)
      fail("as many records as the header says");
    return !Bad;
  }
  void refuse(const char *What) { fail(What); }
  /// An error at the position just read.
  Status wrong(const char *What) {
    fail(What);
    return status();
  }
  Status status() const {
    return Status::at(File.name(), At, "damaged heap snapshot", Expected,
                      "something else");
  }

private:
  void fail(const char *What) {
    if (!Bad)
      Expected = What;
    Bad = true;
    At = std::min(At, End);
  }
  const trace::Buffer &File;
  std::span<const std::byte> Bytes;
  uint64_t At, End;
  bool Bad = false;
  std::string Expected;
};

/// "Sessions[abi:cxx11]" is Sessions.
std::string withoutTags(std::string Name) {
  for (size_t At; (At = Name.find("[abi:")) != std::string::npos;) {
    const size_t End = Name.find(']', At);
    Name.erase(At, End == std::string::npos ? End : End + 1 - At);
  }
  return Name;
}

bool isTrace(std::span<const std::byte> Bytes) {
  return Bytes.size() >= sizeof trace::kMagic &&
         std::memcmp(Bytes.data(), trace::kMagic, sizeof trace::kMagic) == 0;
}

class Loader {
public:
  explicit Loader(std::shared_ptr<const trace::Buffer> File) {
    H.File = std::move(File);
  }

  Result<Heap> load() {
    const auto Bytes = H.File->bytes();
    Header &Head = H.Header;
    constexpr size_t kLeast = offsetof(struct Header, Flags);
    const size_t Compared = std::min(Bytes.size(), sizeof kMagic);
    if (Compared == 0 || std::memcmp(Bytes.data(), kMagic, Compared) != 0)
      return Status::at(H.File->name(), 0, "not a heap snapshot",
                        "the magic INMHEAP1",
                        Compared == 0    ? "an empty file"
                        : isTrace(Bytes) ? "a trace, which `inmem report` shows"
                                         : "something else");
    if (Bytes.size() < kLeast)
      return Status::at(H.File->name(), Bytes.size(), "cut heap snapshot",
                        "a header of " + std::to_string(kLeast) + " bytes",
                        std::to_string(Bytes.size()));
    std::memcpy(&Head, Bytes.data(), kLeast);
    // Older files have a shorter header, later ones may have a longer one.
    if (Head.HeaderBytes > kLeast)
      std::memcpy(
          &Head, Bytes.data(),
          std::min({size_t{Head.HeaderBytes}, Bytes.size(), sizeof Head}));
    if (Head.Version != kVersion)
      return Status::at(H.File->name(), 8, "heap snapshot of another version",
                        std::to_string(kVersion), std::to_string(Head.Version));
    if (Head.FileBytes > Bytes.size() || Head.FileBytes == 0)
      return Status::at(H.File->name(), Bytes.size(), "cut heap snapshot",
                        std::to_string(Head.FileBytes) + " bytes",
                        std::to_string(Bytes.size()));
    for (auto Part :
         {&Loader::labels, &Loader::types, &Loader::sites, &Loader::callers,
          &Loader::inlined, &Loader::objects, &Loader::variables,
          &Loader::named, &Loader::roots, &Loader::containers, &Loader::held,
          &Loader::adopted, &Loader::pages, &Loader::regions, &Loader::chunks,
          &Loader::spans, &Loader::counts})
      if (Status S = (this->*Part)(); !S.ok())
        return S;
    nameLibraryBlocks(H);
    return std::move(H);
  }

private:
  Reader open(const Section &S) {
    return Reader(*H.File, S, H.Header.FileBytes);
  }
  static Status end(const Reader &R) { return R.ok() ? Status() : R.status(); }

  /// Reads the records of a section, of at least \p Least bytes each, with
  /// \p Record(Reader, number of the record).
  template <class F> Status each(const Section &S, uint64_t Least, F Record) {
    Reader R = open(S);
    if (R.fits(S.Count, Least))
      for (uint64_t I = 0; I < S.Count && R.ok(); ++I)
        Record(R, I);
    return end(R);
  }

  Status labels() {
    return each(H.Header.Labels, 1, [this](Reader &R, uint64_t) {
      H.Labels.push_back(R.text(R.number()));
    });
  }
  std::string_view text(Reader &R) {
    return H.label(R.below(std::max<size_t>(H.Labels.size(), 1), "a label"));
  }
  Status types() {
    return each(H.Header.Types, 5, [this](Reader &R, uint64_t I) {
      Type T;
      T.Record.Index = static_cast<uint32_t>(I + 1);
      T.Record.Name = text(R);
      T.Record.Size = R.number();
      T.Record.Align = static_cast<uint32_t>(R.number());
      T.Record.Flags = static_cast<uint32_t>(R.number());
      const uint64_t Count = R.number();
      if (!R.fits(Count, 6))
        return;
      for (uint64_t F = 0; F < Count; ++F) {
        trace::Field Out;
        Out.Name = text(R);
        Out.TypeName = text(R);
        Out.Offset = static_cast<uint32_t>(R.number());
        Out.Size = static_cast<uint32_t>(R.number());
        Out.Kind = static_cast<uint8_t>(R.number());
        Out.Bit = static_cast<uint8_t>(R.number());
        T.Fields.push_back(Out);
      }
      T.Record.FieldCount = static_cast<uint32_t>(Count);
      H.Types.push_back(std::move(T));
    });
  }
  SourceLocation readLocation(Reader &R) {
    SourceLocation P;
    P.Function = text(R);
    P.File = text(R);
    P.Line = static_cast<uint32_t>(R.number());
    P.Column = static_cast<uint32_t>(R.number());
    return P;
  }
  Status sites() {
    return each(H.Header.Sites, 7, [this](Reader &R, uint64_t) {
      const auto Id = static_cast<uint32_t>(R.number());
      Site &S = H.Sites[Id];
      S.Type = R.below(H.Types.size() + 1, "a type");
      S.Where = readLocation(R);
      S.Kind = static_cast<uint32_t>(R.number());
    });
  }
  /// The frames inlined at a site; in an older file, only its function.
  Status inlined() {
    std::map<uint32_t, std::vector<std::string>> Functions;
    Status S = each(H.Header.Inlined, 2, [&](Reader &R, uint64_t) {
      const auto Id = static_cast<uint32_t>(R.number());
      Functions[Id].push_back(report::demangle(text(R)));
    });
    for (auto &[Id, Known] : H.Sites) {
      std::vector<std::string> &All = Functions[Id];
      if (All.empty())
        All.push_back(report::demangle(Known.Where.Function));
      Known.Alias = report::aliasOfSite({All.begin(), All.end()});
    }
    return S;
  }
  Status callers() {
    return each(H.Header.Callers, 5, [this](Reader &R, uint64_t) {
      const auto Of = H.Sites.find(static_cast<uint32_t>(R.number()));
      const SourceLocation P = readLocation(R);
      if (Of != H.Sites.end())
        Of->second.Caller = P;
    });
  }
  Status objects() {
    Reader R = open(H.Header.Objects);
    const uint64_t Count = H.Header.Objects.Count;
    if (!R.fits(Count, 7) || Count >= UINT32_MAX || !R.fits(H.Header.Edges, 2))
      return R.ok() ? Status::error(H.File->name(), "too many objects")
                    : end(R);
    for (auto *V : {&H.Address, &H.Size, &H.Hash, &H.AgeUs})
      V->reserve(Count);
    H.SiteOf.reserve(Count);
    H.TypeOf.reserve(Count);
    H.FirstEdge.reserve(Count + 1);
    H.EdgeTo.reserve(H.Header.Edges);
    H.EdgeLabel.reserve(H.Header.Edges);
    uint64_t Address = 0;
    for (uint64_t I = 0; I < Count && R.ok(); ++I) {
      Address += R.number() << 3;
      H.Address.push_back(Address);
      H.Size.push_back(R.number());
      H.SiteOf.push_back(static_cast<uint32_t>(R.number()));
      H.TypeOf.push_back(R.below(H.Types.size() + 1, "a type"));
      H.AgeUs.push_back(R.number());
      uint64_t Hash = 0;
      if (R.number()) {
        const std::string_view Bytes = R.text(sizeof Hash);
        if (Bytes.size() == sizeof Hash)
          std::memcpy(&Hash, Bytes.data(), sizeof Hash);
      }
      H.Hash.push_back(Hash);
      H.FirstEdge.push_back(H.EdgeTo.size());
      const uint64_t Edges = R.number();
      if (!R.fits(Edges, 2))
        break;
      for (uint64_t E = 0; E < Edges; ++E) {
        const int64_t To = static_cast<int64_t>(I) + R.signedNumber();
        if (To < 0 || static_cast<uint64_t>(To) >= Count)
          return R.wrong("an edge to one of the objects");
        H.EdgeTo.push_back(static_cast<uint32_t>(To));
        H.EdgeLabel.push_back(static_cast<uint32_t>(R.number()));
      }
    }
    H.FirstEdge.push_back(H.EdgeTo.size());
    return end(R);
  }
  Status variables() {
    return each(H.Header.Variables, 6, [this](Reader &R, uint64_t) {
      Variable V;
      V.Name = withoutTags(report::simplifyName(report::demangle(text(R))));
      V.Kind = static_cast<RootKind>(R.below(4, "a kind of root"));
      V.Where = static_cast<uint32_t>(R.number());
      V.Offset = R.number();
      V.Size = R.number();
      V.Type = R.below(H.Types.size() + 1, "a type");
      H.Variables.push_back(std::move(V));
    });
  }
  Status named() {
    HasName.resize(H.objects());
    return each(H.Header.Named, 4, [this](Reader &R, uint64_t) {
      const uint32_t In = R.below(H.Variables.size(), "a variable");
      const uint64_t At = R.number();
      const auto Path = static_cast<uint32_t>(R.number());
      const uint32_t Object = R.below(H.objects(), "an object");
      if (!R.ok())
        return;
      const Variable &V = H.Variables[In];
      HasName[Object] = true;
      H.Roots.push_back(
          {V.Kind, V.Where, At ? At - 1 : kByType, Object, In + 1, Path});
    });
  }
  /// Roots in variables occur here a second time.
  Status roots() {
    return each(H.Header.Roots, 4, [this](Reader &R, uint64_t) {
      Root Out;
      Out.Kind = static_cast<RootKind>(R.below(4, "a kind of root"));
      Out.Where = static_cast<uint32_t>(R.number());
      Out.Offset = R.number();
      Out.Object = R.below(H.objects(), "an object");
      const bool IsStatic =
          Out.Kind == RootKind::Global || Out.Kind == RootKind::ThreadLocal;
      if (R.ok() && !(IsStatic && HasName[Out.Object]))
        H.Roots.push_back(Out);
    });
  }
  Status pages() {
    const uint64_t Page = H.Header.PageBytes;
    if (Page && (Page < 512 || (Page & (Page - 1)) != 0))
      return Status::error(H.File->name(), "damaged heap snapshot: the size of "
                                           "a page is not a power of two");
    const uint64_t Most = Page ? UINT64_MAX / Page : 0;
    uint64_t End = 0;
    return each(H.Header.PageRuns, 3, [&](Reader &R, uint64_t) {
      PageRun P;
      const uint64_t Gap = R.number();
      P.Count = R.number();
      P.Flags = R.number();
      if (Gap > Most - End || P.Count > Most - End - Gap)
        return R.refuse("pages below the end of memory");
      P.First = End + Gap;
      End = P.First + P.Count;
      H.Pages.push_back(P);
    });
  }
  Status regions() {
    return each(H.Header.Regions, 5, [this](Reader &R, uint64_t) {
      Region G;
      G.Kind = static_cast<RegionKind>(
          R.below(static_cast<uint64_t>(RegionKind::Allocator) + 1,
                  "a kind of region"));
      G.Begin = R.number();
      const uint64_t Bytes = R.number();
      G.Label = static_cast<uint32_t>(R.number());
      G.Detail = R.number();
      G.End = Bytes > UINT64_MAX - G.Begin ? UINT64_MAX : G.Begin + Bytes;
      H.Regions.push_back(G);
    });
  }
  Status chunks() {
    int64_t End = 0;
    return each(H.Header.Chunks, 3, [&](Reader &R, uint64_t) {
      constexpr int64_t kMost = int64_t{1} << 58;
      Chunk C;
      const int64_t Gap = R.signedNumber();
      const uint64_t Words = R.number();
      C.State = static_cast<ChunkState>(R.below(
          static_cast<uint64_t>(ChunkState::Header) + 1, "a state of a chunk"));
      if (Gap < 0 || Gap > kMost - End || Words > uint64_t{kMost} ||
          static_cast<int64_t>(Words) > kMost - End - Gap)
        return R.refuse("chunks in the order of addresses");
      C.Begin = static_cast<uint64_t>(End + Gap) * 8;
      C.Bytes = Words * 8;
      End += Gap + static_cast<int64_t>(Words);
      H.Chunks.push_back(C);
    });
  }
  Status spans() {
    return each(H.Header.Spans, 2, [this](Reader &R, uint64_t) {
      H.Front.push_back(R.number());
      H.Back.push_back(R.number());
    });
  }
  Status counts() {
    return each(H.Header.Counts, 2, [this](Reader &R, uint64_t) {
      const auto Site = static_cast<uint32_t>(R.number());
      H.Allocated[Site] = R.number();
    });
  }
  static void readContainer(Reader &R, Container &C) {
    C.Label = static_cast<uint32_t>(R.number());
    C.Name = static_cast<uint32_t>(R.number());
    C.Elements = R.number();
    C.Capacity = R.number();
    C.ElementBytes = R.number();
    C.Buckets = R.number();
  }
  Status containers() {
    return each(H.Header.Containers, 7, [this](Reader &R, uint64_t) {
      Container C;
      C.Object = R.below(uint64_t{H.objects()} + 1, "an object");
      readContainer(R, C);
      if (R.ok() && C.Object--)
        H.Containers.push_back(C);
    });
  }
  Status held() {
    return each(H.Header.Held, 7, [this](Reader &R, uint64_t) {
      Container C;
      C.IsInVariable = true;
      C.Object = R.below(H.Variables.size(), "a variable");
      readContainer(R, C);
      if (R.ok())
        H.Containers.push_back(C);
    });
  }
  Status adopted() {
    return each(H.Header.Adopted, 2, [this](Reader &R, uint64_t) {
      const uint32_t Object = R.below(H.objects(), "an object");
      const uint32_t Type = R.below(H.Types.size(), "a type");
      if (R.ok() && H.TypeOf[Object] == 0)
        H.TypeOf[Object] = Type + 1;
    });
  }

  Heap H;
  std::vector<bool> HasName; ///< objects that a variable holds
};

} // namespace

void nameLibraryBlocks(Heap &H) {
  std::map<uint32_t, bool> IsLibrarys; // by site
  for (size_t I = 0; I < H.objects(); ++I) {
    const auto Of = H.Sites.find(H.SiteOf[I]);
    if (Of == H.Sites.end() || H.TypeOf[I] != 0)
      continue;
    const SourceLocation &At = Of->second.Where;
    const bool Own = report::isLibraryBlock(
        At.File, report::bareFunction(At.Function), H.Size[I]);
    const auto [Known, New] = IsLibrarys.try_emplace(Of->first, Own);
    Known->second = Known->second && Own;
  }
  for (const auto &[Site, Own] : IsLibrarys)
    if (Own)
      H.Sites[Site].Alias = report::kLibraryMemory;
}

Result<Heap> readHeap(std::shared_ptr<const trace::Buffer> File) {
  return Loader(std::move(File)).load();
}

Result<Heap> readHeap(const std::string &Path) {
  auto File = trace::Buffer::open(Path);
  if (!File)
    return File.status();
  return readHeap(std::move(*File));
}

} // namespace inmem::heap
