//===- SampleHeap.h - Snapshots made by hand --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_HEAP_SAMPLEHEAP_H
#define INMEM_TESTS_HEAP_SAMPLEHEAP_H

#include "heap/HeapFile.h"

#include <array>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace inmem::heap {

/// A snapshot as runtime/heap writes it.
class SampleHeap {
public:
  struct Edge {
    uint32_t To, Label = 0;
    EdgeKind Kind = EdgeKind::Pointer;
  };
  struct Object {
    uint64_t Size = 16;
    uint32_t Type = 0; ///< +1
    std::vector<Edge> Edges = {};
    uint64_t Hash = 0;
    uint32_t Site = 1;
    uint64_t AgeUs = 0; ///< +1
  };
  std::vector<Object> Objects;
  std::vector<uint32_t> Roots;
  std::vector<std::string> Labels = {"", "Foo", "Bar", "next", "libx.so"};
  std::vector<uint32_t> Stack; ///< roots, too
  std::vector<std::array<uint64_t, 7>> Containers, Held;
  std::vector<std::array<uint64_t, 6>> Variables;
  std::vector<std::array<uint64_t, 4>> Named;
  uint64_t FirstAddress = 0x1000, Flags = 0;
  uint64_t SiteFunction = 0; ///< label
  uint64_t SiteFile = 0;     ///< label
  uint64_t SiteLine = 7;
  std::vector<std::array<uint64_t, 5>> Callers;
  uint32_t HeaderBytes = sizeof(Header);

  std::vector<std::byte> bytes() {
    Header H = {};
    std::memcpy(H.Magic, kMagic, sizeof kMagic);
    H.Version = kVersion;
    H.HeaderBytes = HeaderBytes;
    H.Flags = Flags;
    Out.assign(sizeof H, 0);
    H.Objects = {Out.size(), Objects.size()};
    for (size_t I = 0; I < Objects.size(); ++I) {
      const Object &O = Objects[I];
      numbers({I ? 0x1000u / 8 : FirstAddress / 8, O.Size, O.Site, O.Type,
               O.AgeUs});
      numbers({O.Hash != 0});
      if (O.Hash)
        Out.append(reinterpret_cast<const char *>(&O.Hash), 8);
      numbers({O.Edges.size()});
      for (const Edge &E : O.Edges) {
        const int64_t Far = int64_t{E.To} - static_cast<int64_t>(I);
        numbers(
            {static_cast<uint64_t>(Far) << 1 ^ static_cast<uint64_t>(Far >> 63),
             uint64_t{E.Label} << 3 | static_cast<uint64_t>(E.Kind)});
        ++H.Edges;
      }
    }
    H.Roots = {Out.size(), Roots.size() + Stack.size()};
    for (uint32_t R : Stack)
      numbers({1, 4, 0x7000, R});
    for (uint32_t R : Roots)
      numbers({0, 4, 0x40, R});
    H.Variables = write(Variables);
    H.Named = write(Named);
    H.Held = write(Held);
    H.Callers = write(Callers);
    H.Containers = {Out.size(), Containers.size()};
    for (const auto &C : Containers)
      for (uint64_t N : C)
        numbers({N});
    H.Adopted = {Out.size(), 0};
    H.Sites = {Out.size(), 1};
    numbers({1, 0, SiteFunction, SiteFile, SiteLine, 3, 1});
    H.Types = {Out.size(), 2};
    // Foo { char, pointer, char }, and Bar without members.
    numbers({1, 24, 8, 8, 3});
    numbers({1, 0, 0, 1, 0, 0, 3, 0, 8, 8, 1, 0, 2, 0, 16, 1, 0, 0});
    numbers({2, 16, 8, 8, 0});
    H.Labels = {Out.size(), Labels.size()};
    for (const std::string &L : Labels) {
      numbers({L.size()});
      Out += L;
    }
    H.FileBytes = Out.size();
    std::memcpy(Out.data(), &H, sizeof H);
    std::vector<std::byte> Result(Out.size());
    std::memcpy(Result.data(), Out.data(), Out.size());
    return Result;
  }
  trace::Result<Heap> read() {
    return readHeap(trace::Buffer::fromBytes(bytes(), "made.heap"));
  }

private:
  template <size_t N>
  Section write(const std::vector<std::array<uint64_t, N>> &Records) {
    const Section Result = {Out.size(), Records.size()};
    for (const auto &Record : Records)
      for (uint64_t Number : Record)
        numbers({Number});
    return Result;
  }
  void numbers(std::initializer_list<uint64_t> All) {
    for (uint64_t N : All) {
      for (; N >= 0x80; N >>= 7)
        Out += static_cast<char>(N | 0x80);
      Out += static_cast<char>(N);
    }
  }
  std::string Out;
};

} // namespace inmem::heap

#endif
