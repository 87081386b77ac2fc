//===- GraphApi.cpp - inmem/graph_api.h -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Counts.h"
#include "graph/ObjectTree.h"
#include "hot/Recorder.h"
#include "platform/Signals.h"
#include "registry/SiteRegistry.h"
#include "registry/Texts.h"
#include "state/Runtime.h"

#include "inmem/abi.h"

using namespace inmem::rt;

namespace {

struct WalkRequest {
  const void *Object;
  size_t Size;
  const inmem_description *Description;
  uint64_t MostObjects;
  inmem_graph *Result;
};

const inmem_type *firstOf(const inmem_description *D) {
  return D && D->count > 0 ? relative<inmem_type>(D->types[0]) : nullptr;
}

/// Runs on a separate stack: the program's may be too small for deeply embedded
/// classes.
void profile(void *Request) {
  auto &R = *static_cast<WalkRequest *>(Request);
  Locked L(GraphLock);
  knownTypes().refresh();
  Profiler(*R.Result, R.MostObjects)
      .run(R.Object, R.Size, firstOf(R.Description));
}

struct CountRequest {
  const inmem_graph *Graph;
  const char *Type;
  uint64_t *Counts;
};

void count(void *Request) {
  auto &R = *static_cast<CountRequest *>(Request);
  Locked L(GraphLock);
  knownTypes().refresh();
  countObjects(*R.Graph, R.Type, R.Counts);
}

inmem_graph *makeGraph() {
  // Zeroed pages are a valid empty graph.
  return static_cast<inmem_graph *>(mapPages(sizeof(inmem_graph)));
}

void freeGraph(inmem_graph *G) {
  G->~inmem_graph();
  unmapPages(G, sizeof(inmem_graph));
}

bool run(void (*What)(void *), void *Request) {
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return false;
  ensureStarted();
  constexpr size_t kStack = 512 * 1024;
  return runOnOwnStack(kStack, What, Request);
}

constexpr uint64_t kMostObjects = 10000000;

} // namespace

inmem_graph *inmem_graph_profile(const void *Object, size_t Size,
                                 const inmem_description *Description,
                                 const inmem_graph_options *Options) {
  uint64_t Most =
      Options && Options->max_objects ? Options->max_objects : kMostObjects;
  if (Most > UINT32_MAX - 1)
    Most = UINT32_MAX - 1;
  WalkRequest R = {Object, Size, Description, Most, makeGraph()};
  if (!R.Result)
    return nullptr;
  if (!run(profile, &R) || R.Result->Nodes.size() == 0) {
    freeGraph(R.Result);
    return nullptr;
  }
  return R.Result;
}

const inmem_graph_node *inmem_graph_nodes(const inmem_graph *G,
                                          uint32_t *Count) {
  *Count = static_cast<uint32_t>(G->Nodes.size());
  return G->Nodes.data();
}

const uint32_t *inmem_graph_children(const inmem_graph *G) {
  return G->Children.data();
}

int inmem_graph_count(const inmem_graph *G, const char *Type,
                      uint64_t *Counts) {
  memset(Counts, 0, G->Nodes.size() * sizeof *Counts);
  CountRequest R = {G, Type, Counts};
  return run(count, &R);
}

int inmem_graph_truncated(const inmem_graph *G) { return G->Truncated; }

void inmem_graph_free(inmem_graph *G) {
  if (G)
    freeGraph(G);
}

const char *inmem_graph_type_name(const inmem_type *Type) {
  const SlowPath Inside(Thread);
  return textAt(Type->name);
}

uint64_t inmem_graph_deep_size(const void *Object, size_t Size,
                               const inmem_description *Description) {
  inmem_graph *G = inmem_graph_profile(Object, Size, Description, nullptr);
  if (!G)
    return Size;
  const uint64_t Bytes = G->Nodes[0].size;
  freeGraph(G);
  return Bytes;
}
