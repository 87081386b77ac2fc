//===- HeapFile.h - A heap snapshot in memory -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays with one element per object, because there may be many millions. Edges
// are in one array, the edges of an object adjacent.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_HEAP_HEAPFILE_H
#define INMEM_HEAP_HEAPFILE_H

#include "trace/format/HeapFormat.h"
#include "trace/read/Buffer.h"
#include "trace/read/Trace.h"

#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace inmem::heap {

struct Root {
  RootKind Kind = RootKind::Global;
  uint32_t Where = 0; ///< label
  /// Without a Variable: the offset in the file Where, or the address of a
  /// stack, register or thread. With one: the offset in the variable, or
  /// kByType.
  uint64_t Offset = 0;
  uint32_t Object = 0;
  uint32_t Variable = 0; ///< containing variable + 1; 0 if unknown
  uint32_t Path = 0;     ///< label: path from the variable, by its type
};
constexpr uint64_t kByType = UINT64_MAX;

/// A variable with a symbol.
struct Variable {
  std::string Name;
  RootKind Kind = RootKind::Global;
  uint32_t Where = 0; ///< label
  uint64_t Offset = 0, Size = 0;
  uint32_t Type = 0; ///< element type for arrays; +1; 0 if unknown
};

/// A container in an object or a variable.
struct Container {
  uint32_t Object = 0, Label = 0, Name = 0;
  uint64_t Elements = 0, Capacity = 0, ElementBytes = 0, Buckets = 0;
  bool IsInVariable = false; ///< Object is the variable's number
};

struct SourceLocation {
  std::string_view Function, File;
  uint32_t Line = 0, Column = 0;
};

struct Site {
  uint32_t Type = 0; ///< +1
  uint32_t Kind = 0;
  SourceLocation Where;
  /// The blocks by the library function that allocates them, such as
  /// `std::string buffer`; empty if their type names them.
  std::string Alias;
  /// The program's line that led to a site in a library or a wrapper.
  std::optional<SourceLocation> Caller;

  /// The source location to show.
  const SourceLocation &shown() const { return Caller ? *Caller : Where; }
};

struct Type {
  trace::Type Record;
  std::vector<trace::Field> Fields;
};

/// Consecutive pages of one kind.
struct PageRun {
  uint64_t First = 0, Count = 0; ///< numbers of pages
  uint64_t Flags = 0;            ///< PageFlags
};

/// A range of addresses with one owner.
struct Region {
  RegionKind Kind = RegionKind::Anonymous;
  uint64_t Begin = 0, End = 0;
  uint32_t Label = 0;
  uint64_t Detail = 0;
};

/// A piece of a C library's heap without an object.
struct Chunk {
  uint64_t Begin = 0, Bytes = 0;
  ChunkState State = ChunkState::Unrecorded;
};

struct Heap {
  std::shared_ptr<const trace::Buffer> File;
  struct Header Header = {};
  std::vector<uint64_t> Address, Size, Hash, FirstEdge;
  std::vector<uint32_t> SiteOf, TypeOf; ///< TypeOf: +1; 0: unknown
  std::vector<uint64_t> AgeUs;          ///< +1; 0: unknown
  std::vector<uint32_t> EdgeTo, EdgeLabel;
  std::vector<Variable> Variables;
  /// Roots in variables come first.
  std::vector<Root> Roots;
  std::vector<Container> Containers;
  std::vector<Type> Types;
  std::unordered_map<uint32_t, Site> Sites;
  std::vector<std::string_view> Labels;
  std::deque<std::string> Found; ///< names that are not in the file
  // Sections about resident memory; empty in files of older runtimes.
  std::vector<PageRun> Pages; ///< in order of addresses
  std::vector<Region> Regions;
  std::vector<Chunk> Chunks; ///< in order of addresses
  /// The allocator's bytes before and after each object.
  std::vector<uint64_t> Front, Back;
  std::unordered_map<uint32_t, uint64_t> Allocated; ///< blocks, by site

  /// True if the file has the records that explain resident memory.
  bool hasResidency() const {
    return Header.PageBytes != 0 && Front.size() == Address.size();
  }
  /// False if it was taken for `inmem resident`, and has only blocks and pages.
  bool hasGraph() const { return (Header.Flags & kFlagNoGraph) == 0; }
  /// True if blocks may be missing: blocks that only the missing ones lead to
  /// look like leaks.
  bool isPartial() const {
    return (Header.Flags &
            (kFlagSampled | kFlagFiltered | kFlagStopped | kFlagAttached)) != 0;
  }
  uint32_t objects() const { return static_cast<uint32_t>(Address.size()); }
  std::span<const uint32_t> targets(uint32_t Object) const {
    return std::span(EdgeTo).subspan(FirstEdge[Object],
                                     FirstEdge[Object + 1] - FirstEdge[Object]);
  }
  EdgeKind kindOf(uint64_t Edge) const {
    return static_cast<EdgeKind>(EdgeLabel[Edge] & 7);
  }
  std::string_view labelOf(uint64_t Edge) const {
    return label(EdgeLabel[Edge] >> 3);
  }
  std::string_view label(uint32_t Index) const {
    return Index < Labels.size() ? Labels[Index] : std::string_view();
  }
  /// The owner of a container: the type of an object, empty if unknown, or a
  /// variable.
  std::string_view ownerOf(const Container &C) const {
    return C.IsInVariable ? Variables[C.Object].Name : typeName(C.Object);
  }
  /// Empty: unknown.
  std::string_view typeName(uint32_t Object) const {
    return TypeOf[Object] ? Types[TypeOf[Object] - 1].Record.Name
                          : std::string_view();
  }
};

/// Names the blocks that the C and C++ libraries keep for themselves, as
/// reports do. readHeap() calls it with the names in the file.
void nameLibraryBlocks(Heap &H);

/// Reads a snapshot and checks all of it.
trace::Result<Heap> readHeap(const std::string &Path);
trace::Result<Heap> readHeap(std::shared_ptr<const trace::Buffer> File);

} // namespace inmem::heap

#endif
