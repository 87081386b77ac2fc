//===- ResidencyTest.cpp - Resident pages made by hand --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/PageMap.h"
#include "heap/SnapshotViews.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace inmem;
using namespace inmem::heap;

namespace {

constexpr uint64_t kBytes = 4096; // of a page
constexpr uint64_t kBase = 0x10000 * kBytes;

/// A process with a heap of glibc's at page 0, counted from kBase.
class Process {
public:
  Process() {
    H.Header.PageBytes = kBytes;
    H.Header.Allocator = AllocatorKind::Glibc;
    H.Labels = {"", "[anon:pool]", "/memfd:ring (deleted)", "/data/x.db",
                "7 worker"};
  }
  void pages(uint64_t First, uint64_t Count, uint64_t Flags = 0) {
    H.Pages.push_back({kBase / kBytes + First, Count, Flags});
  }
  void region(RegionKind Kind, uint64_t First, uint64_t Count,
              uint32_t Label = 0, uint64_t Detail = 0) {
    H.Regions.push_back({Kind, kBase + First * kBytes,
                         kBase + (First + Count) * kBytes, Label, Detail});
  }
  /// A block with 8 bytes in front of it and \p Back behind.
  void block(uint64_t At, uint64_t Size, uint32_t Site, uint64_t Back = 0) {
    H.Address.push_back(kBase + At);
    H.Size.push_back(Size);
    H.SiteOf.push_back(Site);
    H.TypeOf.push_back(0);
    H.AgeUs.push_back(0);
    H.Front.push_back(8);
    H.Back.push_back(Back);
  }
  void chunk(uint64_t At, uint64_t Bytes, ChunkState State) {
    H.Chunks.push_back({kBase + At, Bytes, State});
  }
  void site(uint32_t Id, uint64_t Allocated, const char *Function) {
    Site S;
    S.Where.Function = Function;
    H.Sites.emplace(Id, S);
    H.Allocated[Id] = Allocated;
  }
  Residency explained(std::vector<HeapPage> *Pages = nullptr) const {
    auto R = explain(H, Pages);
    EXPECT_TRUE(R) << R.status().str();
    return std::move(*R);
  }
  Heap H;
};

uint64_t sumOf(const Residency &R) {
  return std::accumulate(R.Bytes.begin(), R.Bytes.end(), uint64_t{0});
}

const Remedy *find(const std::vector<Remedy> &All, Remedy::Kind What) {
  const auto At = std::ranges::find(All, What, &Remedy::What);
  return At == All.end() ? nullptr : &*At;
}

} // namespace

TEST(Residency, APageBelongsToOneOwner) {
  Process P;
  P.pages(0, 12);
  P.region(RegionKind::Anonymous, 0, 12, 1); // all; named by the program
  P.region(RegionKind::Mapped, 1, 8, 0, 5);
  P.region(RegionKind::Own, 2, 1);
  P.region(RegionKind::Stack, 3, 1, 4, 7);
  P.region(RegionKind::Shared, 4, 1, 2);
  P.region(RegionKind::File, 5, 1, 3);
  P.region(RegionKind::Image, 6, 1, 3);
  P.region(RegionKind::Excluded, 11, 1);
  P.site(5, 0, "fill");
  const Residency R = P.explained();
  EXPECT_EQ(R.RssBytes, 11 * kBytes);
  EXPECT_EQ(sumOf(R), R.RssBytes);
  EXPECT_EQ(R.bytes(Part::Inmem), kBytes);
  EXPECT_EQ(R.bytes(Part::Stacks), kBytes);
  EXPECT_EQ(R.bytes(Part::Files), kBytes);
  EXPECT_EQ(R.bytes(Part::Binaries), kBytes);
  // Mapped by the program: 1, 7 and 8; 4 is shared; 0, 9 and 10 are named.
  EXPECT_EQ(R.bytes(Part::Mapped), 7 * kBytes);
  EXPECT_EQ(R.bytes(Part::Unknown), 0u);
  const auto Owns = [&](Part Of, std::string_view Name, uint32_t Site,
                        uint64_t Pages) {
    return std::ranges::any_of(R.Owners, [&](const Owner &O) {
      return O.Of == Of && O.Name == Name && O.Site == Site &&
             O.Bytes == Pages * kBytes;
    });
  };
  EXPECT_TRUE(Owns(Part::Mapped, "[anon:pool]", 5, 3));
  EXPECT_TRUE(Owns(Part::Mapped, "[anon:pool]", 0, 3));
  EXPECT_TRUE(Owns(Part::Mapped, "/memfd:ring (deleted)", 5, 1));
  EXPECT_TRUE(Owns(Part::Files, "/data/x.db", 5, 1));
  EXPECT_TRUE(Owns(Part::Binaries, "/data/x.db", 0, 1));
  EXPECT_TRUE(Owns(Part::Stacks, "7 worker", 0, 1));
}

TEST(Residency, MappedMemoryWithBlocksIsTheirs) {
  Process P;
  P.H.Header.Allocator = AllocatorKind::Unknown;
  P.pages(0, 3);
  P.region(RegionKind::Mapped, 0, 3, 0, 5);
  P.site(5, 0, "makePool");
  P.site(1, 1, "make");
  P.block(8, 100, 1);
  const Residency R = P.explained();
  EXPECT_EQ(R.bytes(Part::Live), 100u);
  EXPECT_EQ(R.bytes(Part::Rounding), 8u);
  EXPECT_EQ(R.bytes(Part::Pinned), kBytes - 108);
  EXPECT_EQ(R.bytes(Part::Mapped), 2 * kBytes);
}

TEST(Residency, SwappedPagesAreNotResident) {
  Process P;
  P.pages(0, 2, kPageSwapped);
  P.pages(2, 1);
  P.pages(3, 4, kPageHuge | kPageZero);
  const Residency R = P.explained();
  EXPECT_EQ(R.RssBytes, 5 * kBytes);
  EXPECT_EQ(R.SwappedBytes, 2 * kBytes);
  EXPECT_EQ(R.HugeBytes, 4 * kBytes);
  EXPECT_EQ(R.HugeZeroBytes, 4 * kBytes);
  EXPECT_EQ(sumOf(R), R.RssBytes);
}

TEST(Residency, FreeBytesOfAPageAreSharedByLiveBytes) {
  Process P;
  P.pages(0, 1);
  P.region(RegionKind::Arena, 0, 1);
  P.site(1, 1, "small");
  P.site(2, 1, "large");
  P.block(16, 100, 1);
  P.block(1016, 300, 2);
  P.chunk(108, 900, ChunkState::Free);
  P.chunk(1308, kBytes - 1308, ChunkState::Free);
  const Residency R = P.explained();
  ASSERT_EQ(R.Lines.size(), 2u);
  const uint64_t Free = kBytes - 416; // two headers of 8 bytes
  EXPECT_EQ(R.Lines[0].HoldsBack, Free * 300 / 400);
  EXPECT_EQ(R.Lines[1].HoldsBack, Free * 100 / 400);
  ASSERT_EQ(R.Sets.size(), 1u);
  EXPECT_EQ(R.Sets[0].Free, Free);
  EXPECT_EQ(R.bytes(Part::Live), 400u);
  EXPECT_EQ(sumOf(R), kBytes);
}

TEST(Residency, TrimReturnsWholePagesBehindAHeader) {
  Process P;
  P.pages(0, 8);
  P.region(RegionKind::Arena, 0, 8);
  P.site(1, 1, "make");
  // Free and fast chunks that touch are merged; the cached one ends the run.
  P.chunk(0, 64, ChunkState::Free);
  P.chunk(64, 2 * kBytes - 64, ChunkState::Fast);
  P.chunk(2 * kBytes, kBytes, ChunkState::Free);
  P.chunk(3 * kBytes, 64, ChunkState::Cached);
  P.block(3 * kBytes + 72, 40, 1);
  P.chunk(3 * kBytes + 112, kBytes, ChunkState::Free); // no whole page
  P.chunk(4 * kBytes + 112, 64, ChunkState::Unrecorded);
  P.chunk(4 * kBytes + 176, 4 * kBytes - 176, ChunkState::Top);
  std::vector<HeapPage> Pages;
  const Residency R = P.explained(&Pages);
  ASSERT_EQ(Pages.size(), 8u);
  std::vector<bool> Trimmed;
  for (const HeapPage &Page : Pages)
    Trimmed.push_back(Page.IsTrimmed);
  // The first page has the chunk's header; the end keeps one byte of a page.
  EXPECT_EQ(Trimmed, (std::vector<bool>{false, true, true, false, false, true,
                                        true, true}));
  EXPECT_EQ(R.bytes(Part::Trim), 5 * kBytes);
  EXPECT_EQ(sumOf(R), R.RssBytes);
}

TEST(Residency, TrimKeepsTheEndOfOtherHeaps) {
  Process P;
  P.pages(0, 4);
  P.region(RegionKind::Arena, 0, 4, 0, /*Detail=*/2);
  P.chunk(0, 4 * kBytes, ChunkState::Top);
  const Residency R = P.explained();
  EXPECT_EQ(R.bytes(Part::Trim), 0u);
  EXPECT_EQ(R.bytes(Part::Kept), 4 * kBytes);
  EXPECT_EQ(R.TopBytes, 4 * kBytes - 8);
}

TEST(Residency, WholePagesOfABlockThatHoldNothingAreUntouched) {
  Process P;
  P.pages(1, 1);            // written
  P.pages(2, 1, kPageZero); // zeros
  P.region(RegionKind::Arena, 0, 6);
  P.site(1, 1, "reserve");
  P.block(16, 6 * kBytes - 32, 1); // whole pages: 1 to 4
  const Residency R = P.explained();
  ASSERT_EQ(R.Lines.size(), 1u);
  EXPECT_EQ(R.Lines[0].UntouchedBytes, 3 * kBytes);
  EXPECT_EQ(R.Lines[0].ResidentBytes, 2 * kBytes);
}

TEST(Residency, WithOtherAllocatorsPagesWithoutBlocksAreKept) {
  Process P;
  P.H.Header.Allocator = AllocatorKind::Jemalloc;
  P.pages(0, 200);
  P.region(RegionKind::Anonymous, 0, 200);
  P.site(1, 1, "make");
  P.block(8, 56, 1);
  const Residency R = P.explained();
  EXPECT_EQ(R.bytes(Part::Kept), 199 * kBytes);
  EXPECT_EQ(R.bytes(Part::Pinned), kBytes - 64);
  const auto All = remedies(P.H, R);
  const Remedy *Decay = find(All, Remedy::Kind::Decay);
  ASSERT_TRUE(Decay);
  EXPECT_EQ(Decay->SavesBytes, 199 * kBytes);
  P.H.Header.Allocator = AllocatorKind::Mimalloc;
  EXPECT_FALSE(find(remedies(P.H, R), Remedy::Kind::Decay));
}

TEST(Residency, TablesOfAllocatorsAreKeptAndNotPromised) {
  Process P;
  P.H.Header.Allocator = AllocatorKind::Jemalloc;
  P.H.Header.Flags = kFlagMapped;
  P.pages(0, 300);
  P.region(RegionKind::Anonymous, 0, 300);
  P.region(RegionKind::Allocator, 0, 100);
  P.region(RegionKind::Allocator, 150, 100); // has no blocks
  P.site(1, 1, "make");
  P.block(8, 56, 1);
  EXPECT_FALSE(P.H.isPartial());
  const Residency R = P.explained();
  EXPECT_EQ(R.bytes(Part::Kept), 199 * kBytes);
  EXPECT_EQ(R.BlocklessBytes, 100 * kBytes);
  EXPECT_EQ(R.bytes(Part::Unknown), 100 * kBytes);
  const auto All = remedies(P.H, R);
  const Remedy *Decay = find(All, Remedy::Kind::Decay);
  ASSERT_TRUE(Decay);
  EXPECT_EQ(Decay->SavesBytes, 99 * kBytes);
}

TEST(Residency, OtherMemoryIsTheProgramsUnlessMappingsAreRecorded) {
  Process P;
  P.pages(0, 3);
  P.region(RegionKind::Anonymous, 0, 3);
  EXPECT_EQ(P.explained().bytes(Part::Mapped), 3 * kBytes);
  P.H.Header.Flags = kFlagMapped;
  EXPECT_EQ(P.explained().bytes(Part::Unknown), 3 * kBytes);
  for (const uint64_t Late : {kFlagStopped, kFlagAttached}) {
    P.H.Header.Flags = kFlagMapped | Late; // it may be older
    EXPECT_EQ(P.explained().bytes(Part::Mapped), 3 * kBytes);
  }
}

TEST(Residency, TheEndOfAHeapThatOthersHaveGrownIsNotTrimmed) {
  Process P;
  P.pages(0, 10);
  P.region(RegionKind::Arena, 0, 10);
  P.chunk(0, 10 * kBytes, ChunkState::Top);
  EXPECT_GT(P.explained().bytes(Part::Trim), 8 * kBytes);
  P.H.Regions[0].Detail = kArenaGrownByOthers;
  EXPECT_EQ(P.explained().bytes(Part::Trim), 0u);
}

// Two lines on each page: moving one of them returns nothing.
TEST(Residency, ARemedyIsForASetOfLines) {
  constexpr uint64_t kPages = 1000;
  Process P;
  P.pages(0, kPages);
  P.region(RegionKind::Arena, 0, kPages);
  P.site(1, kPages, "symbol");
  P.site(2, kPages, "name");
  for (uint64_t I = 0; I < kPages; ++I) {
    P.block(I * kBytes + 16, 40, 1);
    P.block(I * kBytes + 512, 40, 2);
  }
  Residency R = P.explained();
  EXPECT_LT(savingOf(R, {0}), 0);
  EXPECT_LT(savingOf(R, {1}), 0);
  const int64_t Both = static_cast<int64_t>(kPages * (kBytes - 2 * 48));
  EXPECT_EQ(savingOf(R, {0, 1}), Both);
  auto All = remedies(P.H, R);
  const Remedy *Place = find(All, Remedy::Kind::Place);
  ASSERT_TRUE(Place);
  EXPECT_EQ(Place->Lines.size(), 2u);
  EXPECT_EQ(static_cast<int64_t>(Place->SavesBytes), Both);
  EXPECT_FALSE(find(All, Remedy::Kind::Copy));

  // One of them has left holes: they would move along.
  P.H.Allocated[2] = kPages * 10;
  R = P.explained();
  All = remedies(P.H, R);
  EXPECT_FALSE(find(All, Remedy::Kind::Place));
  const Remedy *Copy = find(All, Remedy::Kind::Copy);
  ASSERT_TRUE(Copy);
  EXPECT_EQ(static_cast<int64_t>(Copy->SavesBytes), Both);

  // Other blocks may be there, too.
  P.H.Header.Flags = kFlagSampled;
  EXPECT_TRUE(remedies(P.H, R).empty());
}

TEST(Residency, PagesWithUnknownBlocksAreNotPromised) {
  Process P;
  P.pages(0, 1);
  P.region(RegionKind::Arena, 0, 1);
  P.site(1, 1, "make");
  P.block(16, 40, 1);
  P.chunk(1024, 64, ChunkState::Unrecorded);
  const Residency R = P.explained();
  EXPECT_TRUE(R.Sets.empty());
  EXPECT_EQ(R.UnrecordedBlocks, 1u);
  EXPECT_EQ(R.UnrecordedBytes, 64u);
  EXPECT_GE(R.bytes(Part::Unknown), 64u);
}

TEST(Residency, FeaturesThatTheKernelLacksAreNamed) {
  Process P;
  P.pages(0, 1);
  const auto Text = [&] {
    const Residency R = P.explained();
    return residencyText({P.H, R, {}, std::nullopt}, {}, 10);
  };
  const auto Json = [&] {
    const Residency R = P.explained();
    return residencyJson({P.H, R, {}, std::nullopt}, 0);
  };
  // A file of an older runtime, or a container without /sys.
  EXPECT_TRUE(Json()["not_on_this_kernel"].is_null());
  EXPECT_TRUE(Json()["ksm_bytes"].is_null());
  EXPECT_EQ(Text().find("not on this kernel"), std::string::npos);
  P.H.Header.Kernel = kKernelAsked | kKernelHuge | kKernelHugetlb;
  P.H.Header.KsmBytes = kNotKnown;
  EXPECT_EQ(Json()["not_on_this_kernel"].dump(), R"(["KSM","swap"])");
  EXPECT_TRUE(Json()["ksm_bytes"].is_null());
  EXPECT_NE(Text().find("not on this kernel: KSM, swap\n"), std::string::npos);
  P.H.Header.Kernel |= kKernelKsm | kKernelSwap;
  P.H.Header.KsmBytes = 8 * kBytes;
  EXPECT_EQ(Json()["not_on_this_kernel"].dump(), "[]");
  EXPECT_EQ(Json()["ksm_bytes"], 8 * kBytes);
  EXPECT_NE(Text().find("merged by KSM 32.0 KiB"), std::string::npos);
}

TEST(Residency, DotsArePagesOfTheHeapInOrder) {
  Process P;
  P.pages(0, 4);
  P.pages(6, 1);
  P.pages(40, 1);
  P.pages(50, 1); // of nothing
  P.region(RegionKind::Arena, 0, 8);
  P.region(RegionKind::Arena, 40, 1, 0, 2);
  P.site(1, 9, "small");
  P.site(2, 9, "large");
  P.block(16, 2000, 1);
  P.block(2040, 2000, 2);       // nearly fills page 0
  P.block(kBytes + 16, 100, 1); // page 1
  P.chunk(2 * kBytes, 2 * kBytes, ChunkState::Free);
  P.chunk(6 * kBytes, kBytes, ChunkState::Top);
  P.chunk(40 * kBytes, kBytes, ChunkState::Cached);
  std::vector<HeapPage> Pages;
  const Residency R = P.explained(&Pages);
  const PageMap M = pageMapOf(P.H, R, Pages, 100);
  // 2 has the free chunk's header; 4 and 5 are not in memory.
  EXPECT_EQ(M.States, "90ktaakk");
  ASSERT_EQ(M.Stretches.size(), 2u);
  EXPECT_EQ(M.Stretches[1].Dot, 7u);
  EXPECT_EQ(M.Stretches[1].Address, kBase + 40 * kBytes);
  ASSERT_EQ(M.Shares.size(), 3u);
  EXPECT_EQ(M.Shares[0].Bytes + M.Shares[1].Bytes, 4000u);
  EXPECT_EQ(M.Shares[2].Dot, 1u);
  EXPECT_EQ(M.Shares[2].Blocks, 1u);
  EXPECT_EQ(M.Shares[2].Line, R.LineOfSite.at(1));
  // Several pages a dot.
  const PageMap Fewer = pageMapOf(P.H, R, Pages, 4);
  EXPECT_EQ(Fewer.PagesPerDot, 2u);
  EXPECT_EQ(Fewer.States.size(), 4u);
  const auto Page = residencyPage(P.H);
  EXPECT_EQ(Page["map"]["states"], "90ktaakk");
  EXPECT_EQ(Page["rss_bytes"], R.RssBytes);
}

TEST(Residency, PartsAddUpWhateverOverlaps) {
  std::mt19937 Random(60);
  const auto Below = [&](uint64_t N) { return Random() % N; };
  for (int Round = 0; Round < 300; ++Round) {
    Process P;
    P.H.Header.Allocator = static_cast<AllocatorKind>(Below(6));
    for (uint64_t At = Below(4); At < 60;) {
      const uint64_t Count = 1 + Below(6);
      P.pages(At, Count, Below(16));
      At += Count + Below(3);
    }
    for (int I = 0; I < 12; ++I)
      P.region(static_cast<RegionKind>(Below(9)), Below(60), 1 + Below(12),
               static_cast<uint32_t>(Below(5)), Below(3));
    for (uint64_t At = 16; At < 60 * kBytes;) {
      const uint64_t Size = 1 + Below(3 * kBytes);
      P.block(At, Size, static_cast<uint32_t>(Below(4)), Below(40));
      At = (At + Size + Below(2 * kBytes) + 23) / 8 * 8;
    }
    for (uint64_t At = 0; At < 60 * kBytes;) {
      const uint64_t Bytes = 16 + Below(2 * kBytes) / 16 * 16;
      P.chunk(At, Bytes, static_cast<ChunkState>(Below(6)));
      At += Bytes + Below(2) * 512;
    }
    const Residency R = P.explained();
    ASSERT_EQ(sumOf(R), R.RssBytes) << "round " << Round;
    uint64_t Owned = 0;
    for (const Owner &O : R.Owners)
      Owned += O.Bytes;
    ASSERT_LE(Owned, R.RssBytes);
  }
}
