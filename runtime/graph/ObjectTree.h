//===- ObjectTree.h - A tree of all that an object holds --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks breadth first, so that each object belongs to the parent on the
// shortest path from the root. inmem/graph_api.h is the public interface.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OBJECTTREE_H
#define INMEM_RUNTIME_OBJECTTREE_H

#include "graph/BlockAt.h"
#include "graph/Walk.h"
#include "platform/ExportedApi.h"

#include "inmem/graph_api.h"

namespace inmem::rt {

/// Live objects of one type in a node.
struct LiveObjects {
  const inmem_type *Type;
  uint64_t Count;
  uint32_t Node;
};

} // namespace inmem::rt

/// The result of inmem_graph_profile; nodes and labels have pages of their own.
struct inmem_graph {
  inmem::rt::Pages<inmem_graph_node> Nodes;
  inmem::rt::Pages<uint32_t> Children;
  inmem::rt::Pages<inmem::rt::LiveObjects> Live;
  inmem::rt::Arena Labels;
  bool Truncated = false;
};

namespace inmem::rt {

class Profiler {
public:
  Profiler(inmem_graph &Result, uint64_t MostObjects)
      : Result(Result), MostObjects(MostObjects),
        W(M, this, [](void *Self, const Edge &E, const Walk &) {
          static_cast<Profiler *>(Self)->follow(E);
        }) {
    W.MostElements = MostObjects;
    W.OnLive = [](void *Self, const inmem_type *Type, uint64_t Count) {
      static_cast<Profiler *>(Self)->noteLive(Type, Count);
    };
  }

  /// Needs GraphLock. \p Type may be null.
  void run(const void *Object, uint64_t Size, const inmem_type *Type);

private:
  /// Internal state of a node.
  struct Detail {
    const Plan *P;
    uintptr_t First;       ///< address of the first element
    uint64_t Count, Index; ///< number of elements; index of the first
    bool Indexed;          ///< paths include an element index
    const char *Inner;     ///< array extents of the elements (Walk::Piece)
    bool Arrow;            ///< "->" instead of the first "."
    bool Expanded;
  };

  void completeRoot(const inmem_type *&Type);
  void expand(uint32_t Node);
  void follow(const Edge &E);
  void noteLive(const inmem_type *Type, uint64_t Count);
  uint32_t *slotOf(uintptr_t Address);
  void followBlock(const Edge &E, const LiveBlock &B);
  void followElsewhere(const Edge &E);
  void addView(const Edge &E);
  uint32_t add(const Edge &E, uintptr_t Address, uint64_t Bytes,
               const inmem_type *Type, uint32_t Flags);
  void describeElements(const Edge &E, const LiveBlock &B, uint32_t Node,
                        const SiteFacts &Facts);
  void refer(const Edge &E, uint32_t Node);
  const char *labelOf(const Edge &E);
  void addUp();
  void orderChildren();

  inmem_graph &Result;
  const uint64_t MostObjects;
  Memory M;
  Walk W;
  NumberMap Known; ///< address -> node + 1
  Pages<Detail> Details;
  Pages<uint32_t> Again; ///< weakly held nodes that something else holds, too
  uintptr_t RootBegin = 0, RootEnd = 0;
  LiveBlock RootBlock;
  uint32_t Current = 0, LastOwned = 0;
};

} // namespace inmem::rt

#endif
