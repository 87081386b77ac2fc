// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* graph_api.h - everything that an object holds, as a tree.
 *
 * Plain C; inmem/graph.h is the C++ face of it. The functions are weak: where
 * no runtime is present their addresses are null. A walk allocates nothing from
 * the heap that it inspects, and an invalid pointer ends only its own branch.
 * Thread-safe: several threads can read a result, and walks are serialised.
 */
#ifndef INMEM_GRAPH_API_H
#define INMEM_GRAPH_API_H

#include "detail/api.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct inmem_description;
struct inmem_type;

enum inmem_graph_flags {
  INMEM_GRAPH_HEAP = 1,       /* a block, of its requested size */
  INMEM_GRAPH_NOT_OWNED = 2,  /* shown, of size 0: what a string_view or span
                                 refers to, constants of the program */
  INMEM_GRAPH_GUESSED = 4,    /* found by a word that looks like its address:
                                 in a union, a void *, an integer */
  INMEM_GRAPH_WEAK = 8,       /* a control block that only a weak_ptr holds */
  INMEM_GRAPH_CONTROL = 16,   /* a control block of shared_ptr */
  INMEM_GRAPH_STRUCTURE = 32, /* a container's own: buckets, a deque's map */
  INMEM_GRAPH_ELEMENT = 64,   /* a container's node, or its elements */
  INMEM_GRAPH_UNTYPED = 128   /* unknown type */
};

/** One separately allocated object, or one with static storage. */
struct inmem_graph_node {
  const char *type;  /* canonical spelling, of an array its element's; null:
                        unknown. Lives as long as the code that allocates it */
  const char *field; /* path from the parent: ".cache[3].second" */
  uintptr_t address;
  uint64_t size;     /* including all descendants */
  uint64_t shell;    /* its own bytes alone */
  uint64_t elements; /* of an array or buffer, else 1 */
  int64_t age_ns;    /* since the block was allocated; -1: unknown */
  uint32_t parent;   /* index; the root is its own parent */
  uint32_t first_child, child_count; /* of inmem_graph_children */
  uint32_t refcount;                 /* pointers to it in the graph */
  uint32_t depth;
  uint32_t flags; /* enum inmem_graph_flags */
};

struct inmem_graph;

struct inmem_graph_options {
  uint64_t max_objects; /* 0: 10 million */
};

/** Walks everything reachable from the object of \p size bytes at \p object,
 * breadth first. \p description is the plugin's description of its type; null:
 * only its own bytes count. \returns null if out of memory. Release with
 * inmem_graph_free(). */
INMEM_API struct inmem_graph *
inmem_graph_profile(const void *object, size_t size,
                    const struct inmem_description *description,
                    const struct inmem_graph_options *options);
/** The nodes, the root first and each parent before its children. */
INMEM_API const struct inmem_graph_node *
inmem_graph_nodes(const struct inmem_graph *graph, uint32_t *count);
/** Indices of nodes; children of one parent are adjacent, largest first. */
INMEM_API const uint32_t *inmem_graph_children(const struct inmem_graph *graph);
/** Fills in, for each node, the number of live objects of the type spelled \p
 * type in it: the node itself, elements of arrays and containers, members of
 * class type, base classes. The root and its bases are not counted. \returns 0
 * if out of memory. */
INMEM_API int inmem_graph_count(const struct inmem_graph *graph,
                                const char *type, uint64_t *counts);
/** \returns 1 if max_objects or memory ended the walk early. */
INMEM_API int inmem_graph_truncated(const struct inmem_graph *graph);
INMEM_API void inmem_graph_free(struct inmem_graph *graph);
/** \returns the name of a type of a description, as reports have it; null: out
 * of memory. Valid while the type's library is loaded. */
INMEM_API const char *inmem_graph_type_name(const struct inmem_type *type);
/** \returns the root's size by such a walk; \p size if out of memory. */
INMEM_API uint64_t
inmem_graph_deep_size(const void *object, size_t size,
                      const struct inmem_description *description);

#ifdef __cplusplus
}
#endif
#endif
