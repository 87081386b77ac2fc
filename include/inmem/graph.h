// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graph.h - the deep size of an object, and everything that it holds.
//
//   std::cout << inmem::deepSize(cache) << " bytes\n";
//   inmem::ObjectProfile p = inmem::profileObject(cache);
//   std::cout << p.filter(inmem::shareOfRoot(0.01)).text();
//
// Header-only over graph_api.h; C++17. The plugin describes the types; without
// it or the runtime, an object is only its own bytes. Its own allocations are
// excluded from scopes and traces. docs/heap.md has examples and lists what a
// walk follows.
#ifndef INMEM_GRAPH_H
#define INMEM_GRAPH_H

#include "abi.h"
#include "detail/glob.h"
#include "graph_api.h"
#include "unseen.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace inmem {

namespace detail {

/// The plugin makes this return the description of T. Inlined, so that each
/// translation unit returns the description that its own compiler emitted.
template <class T>
[[gnu::always_inline]] inline const inmem_description *described() noexcept {
  return nullptr;
}
template <class T>
using Described = std::remove_cv_t<std::remove_all_extents_t<T>>;

/// The name of T as in reports; empty without the plugin or the runtime.
template <class T> std::string_view describedName() {
  const inmem_description *D = described<Described<T>>();
  if (!D || D->count < 1 || !inmem_graph_type_name)
    return {};
  const char *Name = inmem_graph_type_name(reinterpret_cast<const inmem_type *>(
      reinterpret_cast<const char *>(&D->types[0]) + D->types[0]));
  return Name ? Name : std::string_view();
}

/// The extents of an array T[2][3]: 2 and 3. The walk numbers the elements
/// consecutively.
struct Extents {
  const std::size_t *Each = nullptr;
  unsigned Count = 0;

  template <class T> static Extents of() {
    static constexpr std::size_t kEach[] = {
        std::extent_v<T, 0>, std::extent_v<T, 1>, std::extent_v<T, 2>,
        std::extent_v<T, 3>};
    return {kEach, std::rank_v<T> < 4 ? unsigned{std::rank_v<T>} : 4};
  }
  /// Rewrites "[5]->next" as "[1][2]->next".
  std::string split(const std::string &Field) const {
    const std::size_t End = Field.find(']');
    if (Count < 2 || Field[0] != '[' || End == std::string::npos)
      return Field;
    std::size_t Left = std::strtoull(Field.c_str() + 1, nullptr, 10), Inner = 1;
    for (unsigned I = 1; I < Count; ++I)
      Inner *= Each[I];
    std::string Out;
    for (unsigned I = 0; I < Count; ++I) {
      Out += '[' + std::to_string(Left / Inner) + ']';
      Left %= Inner;
      Inner /= I + 1 < Count ? Each[I + 1] : 1;
    }
    return Out + Field.substr(End + 1);
  }
};

/// The result of a walk, shared by all its views.
class GraphData {
public:
  GraphData() = default;
  /// Separate from the constructor, which runs with this thread's allocations
  /// ignored: the runtime does not walk for such a thread.
  void walk(const void *Object, std::size_t Size,
            const inmem_description *Description, std::uint64_t MostObjects) {
    inmem_graph_options Options = {};
    Options.max_objects = MostObjects;
    if (inmem_graph_profile)
      Graph = inmem_graph_profile(Object, Size, Description, &Options);
    if (Graph) {
      Nodes = inmem_graph_nodes(Graph, &Count);
      Children = inmem_graph_children(Graph);
      return;
    }
    Alone.field = "root";
    Alone.address = reinterpret_cast<std::uintptr_t>(Object);
    Alone.size = Alone.shell = Size;
    Alone.elements = Alone.refcount = 1;
    Alone.age_ns = -1;
    Alone.flags = INMEM_GRAPH_UNTYPED;
    Nodes = &Alone;
    Count = 1;
  }
  ~GraphData() {
    if (Graph)
      inmem_graph_free(Graph);
  }
  GraphData(const GraphData &) = delete;
  GraphData &operator=(const GraphData &) = delete;

  const inmem_graph_node *Nodes = nullptr;
  Extents OfRoot;
  const std::uint32_t *Children = nullptr;
  std::uint32_t Count = 0;
  inmem_graph *Graph = nullptr;

private:
  inmem_graph_node Alone = {};
};

/// A graph and the set of its visible nodes.
struct GraphView {
  std::shared_ptr<const GraphData> Data;
  std::vector<bool> Hidden; ///< empty: none
  bool isHidden(std::uint32_t Node) const {
    return !Hidden.empty() && Hidden[Node];
  }
};

} // namespace detail

class ObjectShell;

/// A separate object: a block, a global, or the root of the walk. Members and
/// bases are parts of it. Valid as long as any node or profile of its walk.
class ObjectNode {
public:
  /// "Foo", or "Foo [12]" for an array; "" if unknown.
  std::string type() const {
    Unseen Hidden;
    if (IsShell)
      return "<shell>";
    std::string Name = raw().type ? raw().type : "";
    if (raw().elements > 1)
      Name += " [" + std::to_string(raw().elements) + "]";
    return Name;
  }
  /// The path from the parent: "cache[3].second".
  std::string field() const {
    Unseen Hidden;
    if (IsShell)
      return "<shell>";
    std::string_view Field = raw().field;
    if (Field.substr(0, 1) == ".")
      Field.remove_prefix(1);
    else if (Field.substr(0, 2) == "->")
      Field.remove_prefix(2);
    return parent().isRoot() && !isRoot()
               ? View->Data->OfRoot.split(std::string(Field))
               : std::string(Field);
  }
  /// Bytes of the object and all its descendants.
  std::uint64_t size() const { return IsShell ? raw().shell : raw().size; }
  /// The object's own bytes, as a node without children and as a number.
  ObjectShell shell() const;
  /// Number of pointers to it in the graph.
  unsigned refcount() const { return IsShell ? 1 : raw().refcount; }
  unsigned depth() const { return raw().depth + IsShell; }
  /// Elements of an array or block, else 1.
  std::uint64_t elements() const { return raw().elements; }
  const void *address() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<const void *>(raw().address);
  }
  /// Time since it was allocated, if known.
  std::optional<std::chrono::nanoseconds> age() const {
    if (IsShell || raw().age_ns < 0)
      return std::nullopt;
    return std::chrono::nanoseconds(raw().age_ns);
  }
  /// enum inmem_graph_flags
  unsigned flags() const { return IsShell ? 0 : raw().flags; }
  bool isShell() const { return IsShell; }
  bool isRoot() const { return !IsShell && Index == 0; }
  bool isOnHeap() const { return flags() & INMEM_GRAPH_HEAP; }
  bool isOwned() const { return !(flags() & INMEM_GRAPH_NOT_OWNED); }
  /// True if found only through a word that looks like its address, so the
  /// reference is uncertain.
  bool isGuessed() const { return flags() & INMEM_GRAPH_GUESSED; }

  /// "root.cache.entries[3].second->name"
  std::string path() const {
    Unseen Hidden;
    if (IsShell)
      return parent().path();
    std::vector<const char *> Parts;
    for (std::uint32_t At = Index; At; At = node(At).parent)
      Parts.push_back(node(At).field);
    std::string Path = "root";
    for (auto Part = Parts.rbegin(); Part != Parts.rend(); ++Part)
      if (std::strcmp(*Part, "*") != 0)
        Path +=
            Part == Parts.rbegin() ? View->Data->OfRoot.split(*Part) : *Part;
    return Path;
  }
  /// The parent; the root's parent is the root itself.
  ObjectNode parent() const {
    return ObjectNode(View, IsShell ? Index : raw().parent, false);
  }
  ObjectNode root() const { return ObjectNode(View, 0, false); }
  /// The children, largest first, with the shell among them if there are
  /// others.
  std::vector<ObjectNode> children() const {
    Unseen Hidden;
    std::vector<ObjectNode> Result;
    if (IsShell)
      return Result;
    const inmem_graph_node &Self = raw();
    bool ShellIsDue = true;
    for (std::uint32_t I = 0; I < Self.child_count; ++I) {
      const std::uint32_t Child = View->Data->Children[Self.first_child + I];
      if (View->isHidden(Child))
        continue;
      if (ShellIsDue && node(Child).size < Self.shell) {
        Result.push_back(ObjectNode(View, Index, true));
        ShellIsDue = false;
      }
      Result.push_back(ObjectNode(View, Child, false));
    }
    if (ShellIsDue && !Result.empty())
      Result.push_back(ObjectNode(View, Index, true));
    return Result;
  }

private:
  friend class ObjectProfile;
  friend class ObjectShell;
  ObjectNode(std::shared_ptr<const detail::GraphView> View, std::uint32_t Index,
             bool IsShell)
      : View(std::move(View)), Index(Index), IsShell(IsShell) {}
  const inmem_graph_node &node(std::uint32_t At) const {
    return View->Data->Nodes[At];
  }
  const inmem_graph_node &raw() const { return node(Index); }

  std::shared_ptr<const detail::GraphView> View;
  std::uint32_t Index;
  bool IsShell;
};

/// A node's own bytes, without its descendants.
class ObjectShell : public ObjectNode {
public:
  operator std::uint64_t() const { return size(); }

private:
  friend class ObjectNode;
  explicit ObjectShell(ObjectNode Node) : ObjectNode(std::move(Node)) {}
};

inline ObjectShell ObjectNode::shell() const {
  return ObjectShell(ObjectNode(View, Index, true));
}

/// A predicate on nodes to show; combine by &&, || and !.
class ObjectFilter {
public:
  using Function = std::function<bool(const ObjectNode &)>;
  ObjectFilter(Function Keeps) {
    Unseen Hidden;
    this->Keeps = std::make_shared<const Function>(std::move(Keeps));
  }
  bool operator()(const ObjectNode &Node) const { return (*Keeps)(Node); }

  friend ObjectFilter operator&&(ObjectFilter A, ObjectFilter B) {
    Unseen Hidden;
    return Function([A, B](const ObjectNode &N) { return A(N) && B(N); });
  }
  friend ObjectFilter operator||(ObjectFilter A, ObjectFilter B) {
    Unseen Hidden;
    return Function([A, B](const ObjectNode &N) { return A(N) || B(N); });
  }
  friend ObjectFilter operator!(ObjectFilter A) {
    Unseen Hidden;
    return Function([A](const ObjectNode &N) { return !A(N); });
  }

private:
  std::shared_ptr<const Function> Keeps; ///< copies allocate nothing
};

/// Keeps nodes whose subtree has at least \p Bytes.
inline ObjectFilter sizeAtLeast(std::uint64_t Bytes) {
  return ObjectFilter::Function(
      [Bytes](const ObjectNode &N) { return N.size() >= Bytes; });
}
/// Keeps nodes of at least that share of the parent's size: 0.1 is a tenth.
inline ObjectFilter shareOfParent(double Least) {
  return ObjectFilter::Function([Least](const ObjectNode &N) {
    return static_cast<double>(N.size()) >=
           Least * static_cast<double>(N.parent().size());
  });
}
inline ObjectFilter shareOfRoot(double Least) {
  return ObjectFilter::Function([Least](const ObjectNode &N) {
    return static_cast<double>(N.size()) >=
           Least * static_cast<double>(N.root().size());
  });
}
inline ObjectFilter depthAtMost(unsigned Most) {
  return ObjectFilter::Function(
      [Most](const ObjectNode &N) { return N.depth() <= Most; });
}
/// Keeps nodes whose type matches a glob: '*' any text, '?' any character.
inline ObjectFilter typeMatches(std::string_view Types) {
  Unseen Hidden;
  return ObjectFilter::Function(
      [Glob = std::string(Types)](const ObjectNode &N) {
        std::string Type = N.type();
        return detail::matchesGlob(Glob, Type) ||
               detail::matchesGlob(
                   Glob, std::string_view(Type).substr(0, Type.rfind(" [")));
      });
}

/// Everything that an object holds.
class ObjectProfile {
public:
  /// Bytes of the object and everything that it owns.
  std::uint64_t size() const { return data().Nodes[0].size; }
  /// Number of objects, including the root.
  std::size_t count() const {
    return View->Hidden.empty()
               ? data().Count
               : static_cast<std::size_t>(std::count(
                     View->Hidden.begin(), View->Hidden.end(), false));
  }
  ObjectNode root() const { return ObjectNode(View, 0, false); }
  /// True if max_objects or memory ended the walk early.
  bool truncated() const {
    return data().Graph && inmem_graph_truncated(data().Graph);
  }

  /// Calls \p Pre before and \p Post after a node's descendants. If Pre returns
  /// false, the descendants are skipped.
  template <class PreVisitor, class PostVisitor>
  void visit(PreVisitor Pre, PostVisitor Post) const {
    struct Level {
      ObjectNode Node;
      std::vector<ObjectNode> Children;
      std::size_t Next;
    };
    std::vector<Level> Levels;
    auto Enter = [&](ObjectNode Node) {
      bool Below = true;
      if constexpr (std::is_convertible_v<
                        std::invoke_result_t<PreVisitor &, const ObjectNode &>,
                        bool>)
        Below = Pre(static_cast<const ObjectNode &>(Node));
      else
        Pre(static_cast<const ObjectNode &>(Node));
      std::vector<ObjectNode> Children;
      if (Below)
        Children = Node.children();
      Unseen Hidden;
      Levels.push_back({std::move(Node), std::move(Children), 0});
    };
    Enter(root());
    while (!Levels.empty()) {
      Level &Top = Levels.back();
      if (Top.Next < Top.Children.size()) {
        ObjectNode Child = Top.Children[Top.Next++];
        Enter(std::move(Child));
      } else {
        Post(static_cast<const ObjectNode &>(Top.Node));
        Levels.pop_back();
      }
    }
  }
  template <class PreVisitor> void visit(PreVisitor Pre) const {
    visit(std::move(Pre), [](const ObjectNode &) {});
  }

  /// A view without the nodes for which \p Keep returns false and their
  /// descendants. Sizes do not change. The root is always shown.
  ObjectProfile filter(const ObjectFilter &Keep) const {
    std::shared_ptr<detail::GraphView> Filtered;
    {
      Unseen Ours;
      Filtered = std::make_shared<detail::GraphView>(*View);
      Filtered->Hidden.resize(data().Count);
    }
    for (std::uint32_t I = 1; I < data().Count; ++I)
      if (!Filtered->Hidden[I])
        Filtered->Hidden[I] = Filtered->Hidden[data().Nodes[I].parent] ||
                              !Keep(ObjectNode(View, I, false));
    return ObjectProfile(std::move(Filtered));
  }

  /// Depth limit of text(), xml(), json(), folded() and flame(): deeper
  /// objects, such as the rest of a long list, are summarised in one line.
  /// visit() and dot() have no limit.
  static constexpr unsigned kMostDepth = 100;
  /// One line per node: bytes, share of the root, field, type.
  std::string text() const;
  std::string xml() const;
  std::string json() const;
  /// The graph in Graphviz's DOT language.
  std::string dot() const;
  /// Folded stacks for flame graph tools: "root;cache;name 123", in own bytes.
  std::string folded() const;
  /// A flame graph as SVG: the root on top, width in proportion to bytes.
  std::string flame() const;

  /// Number of live objects of a type, by its canonical name, that the root
  /// owns: separate objects, elements, members of class type, bases of derived
  /// objects. Unused capacity and the root itself are not counted.
  std::uint64_t countOf(std::string_view Type) const {
    std::vector<std::uint64_t> Counts;
    std::string Name;
    {
      Unseen Hidden;
      Counts.resize(data().Count);
      Name = Type;
    }
    if (!data().Graph || !inmem_graph_count ||
        !inmem_graph_count(data().Graph, Name.c_str(), Counts.data()))
      return 0;
    std::uint64_t Result = 0;
    for (std::uint32_t I = 0; I < data().Count; ++I)
      if (!View->isHidden(I) &&
          !(data().Nodes[I].flags & INMEM_GRAPH_NOT_OWNED))
        Result += Counts[I];
    return Result;
  }

  /// Walks \p Object of \p Size bytes; use profileObject() instead.
  ObjectProfile(const void *Object, std::size_t Size,
                const inmem_description *Description,
                std::uint64_t MostObjects = 0, detail::Extents OfRoot = {})
      : View(walked(Object, Size, Description, MostObjects, OfRoot)) {}

private:
  explicit ObjectProfile(std::shared_ptr<const detail::GraphView> View)
      : View(std::move(View)) {}
  static std::shared_ptr<const detail::GraphView>
  walked(const void *Object, std::size_t Size,
         const inmem_description *Description, std::uint64_t MostObjects,
         detail::Extents OfRoot) {
    std::shared_ptr<detail::GraphData> Data;
    std::shared_ptr<detail::GraphView> Made;
    {
      Unseen Hidden;
      Data = std::make_shared<detail::GraphData>();
      Made = std::make_shared<detail::GraphView>();
    }
    Data->walk(Object, Size, Description, MostObjects);
    Data->OfRoot = OfRoot;
    Made->Data = std::move(Data);
    return Made;
  }
  const detail::GraphData &data() const { return *View->Data; }
  /// For each node, the number of visible descendants.
  std::vector<std::uint32_t> countsBelow() const {
    std::vector<std::uint32_t> Below(data().Count);
    for (std::uint32_t I = data().Count; I-- > 1;)
      if (!View->isHidden(I))
        Below[data().Nodes[I].parent] += Below[I] + 1;
    return Below;
  }
  /// visit() down to kMostDepth; \p Pre also gets the number of objects left
  /// out below the node.
  template <class PreVisitor, class PostVisitor>
  void visitShown(PreVisitor Pre, PostVisitor Post) const {
    const std::vector<std::uint32_t> Below = countsBelow();
    visit(
        [&](const ObjectNode &N) {
          const bool IsDeepest = !N.isShell() && N.depth() >= kMostDepth;
          Pre(N, IsDeepest ? Below[N.Index] : 0);
          return !IsDeepest;
        },
        Post);
  }
  std::shared_ptr<const detail::GraphView> View;
};

struct ProfileOptions {
  std::uint64_t max_objects = 0; ///< 0: 10 million
};

/// Walks everything that \p Object holds through pointers, references, smart
/// pointers and containers. Each object belongs to the parent on the shortest
/// path.
template <class T>
ObjectProfile profileObject(const T &Object, ProfileOptions Options = {}) {
  return ObjectProfile(std::addressof(Object), sizeof Object,
                       detail::described<detail::Described<T>>(),
                       Options.max_objects, detail::Extents::of<T>());
}
/// Deprecated name of profileObject().
template <class T>
ObjectProfile profile(const T &Object, ProfileOptions Options = {}) {
  return profileObject(Object, Options);
}

/// Bytes of \p Object (its sizeof included) and everything that it holds.
template <class T> std::uint64_t deepSize(const T &Object) {
  return inmem_graph_deep_size
             ? inmem_graph_deep_size(std::addressof(Object), sizeof Object,
                                     detail::described<detail::Described<T>>())
             : sizeof Object;
}

/// Bytes of \p Object itself.
template <class T> constexpr std::uint64_t shallowSize(const T &Object) {
  return sizeof Object;
}

} // namespace inmem

#include "graph_dump.h" // IWYU pragma: export

#endif
