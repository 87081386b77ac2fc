//===- PlacementProfile.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlacementProfile.h"
#include "Compat.h"
#include "inmem/place.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/YAMLTraits.h"
#ifdef INMEM_COMPAT_INDEXED_MEMPROF
#include "llvm/ProfileData/InstrProfReader.h"
#endif

using namespace llvm;

namespace inmem {
namespace {

// The parts of the text form that we use.
struct TextFrame {
  std::string Function;
  unsigned LineOffset = 0, Column = 0;
};
struct TextBlocks {
  uint64_t AllocCount = 0, TotalLifetimeAccessDensity = 0;
};
struct TextSite {
  std::vector<TextFrame> Frames;
  TextBlocks Blocks;
};
struct TextRecord {
  std::string Function;
  std::vector<TextSite> Sites;
};
struct TextProfile {
  std::vector<TextRecord> Records;
};

/// The class that `inmem optimize` encoded as the access density.
int classOfDensity(uint64_t Density, uint64_t Blocks) {
  if (Blocks == 0 || Density >= 5 * Blocks)
    return INMEM_PLACE_SHORT;
  return Density >= Blocks ? INMEM_PLACE_PHASE : INMEM_PLACE_STEADY;
}

/// Hashes a name, or parses a hash in hex.
uint64_t hashOfText(StringRef Function) {
  uint64_t Hash = 0;
  if (Function.starts_with("0x") &&
      !Function.drop_front(2).getAsInteger(16, Hash))
    return Hash;
  return PlacementProfile::hashOf(Function);
}

class TextLifetimeProfile : public PlacementProfile {
public:
  explicit TextLifetimeProfile(const TextProfile &From) {
    for (const TextRecord &Record : From.Records) {
      Contexts &All = Functions[hashOfText(Record.Function)];
      for (const TextSite &Site : Record.Sites) {
        All.emplace_back();
        for (const TextFrame &F : Site.Frames)
          All.back().Frames.push_back(
              {hashOfText(F.Function), F.LineOffset, F.Column});
        All.back().Blocks = Site.Blocks.AllocCount;
        All.back().Class = classOfDensity(
            Site.Blocks.TotalLifetimeAccessDensity, Site.Blocks.AllocCount);
      }
    }
  }
  const Contexts &of(uint64_t Function) override { return Functions[Function]; }

private:
  std::map<uint64_t, Contexts> Functions;
};

#ifdef INMEM_COMPAT_INDEXED_MEMPROF
class IndexedLifetimeProfile : public PlacementProfile {
public:
  explicit IndexedLifetimeProfile(std::unique_ptr<IndexedInstrProfReader> From)
      : Reader(std::move(From)) {}
  const Contexts &of(uint64_t Function) override {
    auto [Where, New] = Functions.try_emplace(Function);
    if (!New)
      return Where->second;
    auto Record = Reader->getMemProfRecord(Function);
    if (!Record) { // not in the profile
      consumeError(Record.takeError());
      return Where->second;
    }
    for (const memprof::AllocationInfo &Site : Record->AllocSites) {
      Where->second.emplace_back();
      Context &One = Where->second.back();
      for (const memprof::Frame &F : Site.CallStack)
        One.Frames.push_back({F.Function, F.LineOffset, F.Column});
      One.Blocks = Site.Info.getAllocCount();
      One.Class =
          classOfDensity(Site.Info.getTotalLifetimeAccessDensity(), One.Blocks);
    }
    return Where->second;
  }

private:
  std::unique_ptr<IndexedInstrProfReader> Reader;
  std::map<uint64_t, Contexts> Functions;
};
#endif

} // namespace
} // namespace inmem

LLVM_YAML_IS_SEQUENCE_VECTOR(inmem::TextFrame)
LLVM_YAML_IS_SEQUENCE_VECTOR(inmem::TextSite)
LLVM_YAML_IS_SEQUENCE_VECTOR(inmem::TextRecord)

// NOLINTBEGIN(readability-identifier-naming): LLVM's names
namespace llvm::yaml {
template <> struct MappingTraits<inmem::TextFrame> {
  static void mapping(IO &In, inmem::TextFrame &F) {
    In.mapRequired("Function", F.Function);
    In.mapRequired("LineOffset", F.LineOffset);
    In.mapRequired("Column", F.Column);
  }
};
template <> struct MappingTraits<inmem::TextBlocks> {
  static void mapping(IO &In, inmem::TextBlocks &B) {
    In.mapRequired("AllocCount", B.AllocCount);
    In.mapOptional("TotalLifetimeAccessDensity", B.TotalLifetimeAccessDensity);
  }
};
template <> struct MappingTraits<inmem::TextSite> {
  static void mapping(IO &In, inmem::TextSite &S) {
    In.mapRequired("Callstack", S.Frames);
    In.mapRequired("MemInfoBlock", S.Blocks);
  }
};
template <> struct MappingTraits<inmem::TextRecord> {
  static void mapping(IO &In, inmem::TextRecord &R) {
    In.mapRequired("GUID", R.Function);
    In.mapOptional("AllocSites", R.Sites);
  }
};
template <> struct MappingTraits<inmem::TextProfile> {
  static void mapping(IO &In, inmem::TextProfile &P) {
    In.mapRequired("HeapProfileRecords", P.Records);
  }
};
} // namespace llvm::yaml
// NOLINTEND(readability-identifier-naming)

namespace inmem {

uint64_t PlacementProfile::hashOf(StringRef LinkageName) {
  // Like LLVM, ignores the suffix of static functions that ThinLTO promoted.
  return MD5Hash(LinkageName.take_front(LinkageName.find(".llvm.")));
}

namespace {

/// Counts the blocks of contexts by class.
class Votes {
public:
  void add(const PlacementProfile::Context &One) {
    Blocks[One.Class] += One.Blocks;
    Any = true;
  }
  bool any() const { return Any; }
  /// The class of nearly all blocks; short if they disagree.
  int winner() const {
    const uint64_t Lasting =
        Blocks[INMEM_PLACE_PHASE] + Blocks[INMEM_PLACE_STEADY];
    constexpr uint64_t kNearlyAll = 19; // out of 20
    if (Lasting < Blocks[INMEM_PLACE_SHORT] * kNearlyAll || Lasting == 0)
      return INMEM_PLACE_SHORT;
    return Blocks[INMEM_PLACE_STEADY] >= Blocks[INMEM_PLACE_PHASE]
               ? INMEM_PLACE_STEADY
               : INMEM_PLACE_PHASE;
  }

private:
  uint64_t Blocks[3] = {};
  bool Any = false;
};

/// True if one is a prefix of the other.
bool agree(ArrayRef<PlacementProfile::Frame> Known,
           ArrayRef<PlacementProfile::Frame> Chain) {
  const size_t Common = std::min(Known.size(), Chain.size());
  return Common > 0 && Known.take_front(Common) == Chain.take_front(Common);
}

} // namespace

int PlacementProfile::classOf(ArrayRef<Frame> Chain) {
  // Functions that only return their allocation (xmalloc) are not sites; their
  // callers are. So drop frames until a context starts at one.
  for (; !Chain.empty(); Chain = Chain.drop_front()) {
    Votes Sum;
    for (const Context &One : of(Chain.front().Function))
      if (agree(One.Frames, Chain))
        Sum.add(One);
    if (Sum.any())
      return Sum.winner();
  }
  return INMEM_PLACE_SHORT;
}

int PlacementProfile::classOfCall(uint64_t Callee, ArrayRef<Frame> Chain) {
  Votes Here, Everywhere;
  for (const Context &One : of(Callee)) {
    Everywhere.add(One);
    const ArrayRef<Frame> Known = One.Frames;
    for (size_t I = 1; I < Known.size(); ++I)
      if (Known[I - 1].Function == Callee &&
          agree(Known.drop_front(I), Chain)) {
        Here.add(One);
        break;
      }
  }
  return Everywhere.winner() == INMEM_PLACE_SHORT ? Here.winner()
                                                  : INMEM_PLACE_SHORT;
}

/// Keeps the first message instead of printing it.
static void keepMessage(const SMDiagnostic &Message, void *Into) {
  auto &Text = *static_cast<std::string *>(Into);
  if (Text.empty())
    Text = ("line " + Twine(Message.getLineNo()) + ": " + Message.getMessage())
               .str();
}

std::shared_ptr<PlacementProfile>
PlacementProfile::read(const std::string &File, std::string &Problem) {
  auto Buffer = MemoryBuffer::getFile(File);
  if (!Buffer) {
    Problem = "'" + File + "': " + Buffer.getError().message();
    return nullptr;
  }
  const StringRef Text = (*Buffer)->getBuffer();
  constexpr StringLiteral kIndexed = "\xfflprofi\x81";
  if (Text.starts_with(kIndexed)) {
#ifdef INMEM_COMPAT_INDEXED_MEMPROF
    auto Reader =
        IndexedInstrProfReader::create(File, *vfs::getRealFileSystem());
    if (Reader && (*Reader)->hasMemoryProfile())
      return std::make_shared<IndexedLifetimeProfile>(std::move(*Reader));
    Problem = "'" + File + "': " +
              (Reader ? "a profile without memory records"
                      : toString(Reader.takeError()));
#else
    Problem = "'" + File +
              "': this LLVM reads no indexed memory profile; use the text "
              "form: inmem optimize -o FILE.yaml";
#endif
    return nullptr;
  }
  TextProfile Parsed;
  std::string Message;
  yaml::Input In(Text, nullptr, keepMessage, &Message);
  In.setAllowUnknownKeys(true);
  In >> Parsed;
  if (In.error() || !Text.contains("HeapProfileRecords")) {
    Problem = "'" + File + "' is not a profile of inmem optimize: " +
              (Message.empty() ? In.error().message() : Message);
    return nullptr;
  }
  return std::make_shared<TextLifetimeProfile>(Parsed);
}

} // namespace inmem
