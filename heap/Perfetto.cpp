//===- Perfetto.cpp - Perfetto's heap graph -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfetto.protos.HeapGraph, which Perfetto's UI shows as a flame graph of
// dominators: objects with type and size, references with the names of members,
// roots. Each packet has some of the objects. Weak references do not hold
// objects, and are left out.
//
//===----------------------------------------------------------------------===//
#include "heap/SnapshotViews.h"

#include "formats/perfetto.pb.h"

#include <map>
#include <vector>

namespace inmem::heap {

namespace {

perfetto::HeapGraphRoot::Type rootType(RootKind Kind) {
  switch (Kind) {
  case RootKind::Stack:
  case RootKind::Register:
    return perfetto::HeapGraphRoot::ROOT_NATIVE_STACK;
  case RootKind::ThreadLocal:
    return perfetto::HeapGraphRoot::ROOT_THREAD_OBJECT;
  case RootKind::Global:
    return perfetto::HeapGraphRoot::ROOT_VM_INTERNAL;
  }
  return perfetto::HeapGraphRoot::ROOT_UNKNOWN;
}

class GraphWriter {
public:
  explicit GraphWriter(const Heap &Of) : H(Of) {}

  std::string run() {
    perfetto::Trace Head;
    perfetto::TrackDescriptor &Track =
        *Head.add_packet()->mutable_track_descriptor();
    Track.set_uuid(1);
    Track.mutable_process()->set_pid(static_cast<int32_t>(H.Header.Pid));
    Out = Head.SerializeAsString();
    start();
    nameTypes();
    for (size_t I = 1; I < H.Labels.size(); ++I) {
      perfetto::InternedString *Name = Graph->add_field_names();
      Name->set_iid(I);
      Name->set_str(std::string(H.Labels[I]));
    }
    std::map<RootKind, perfetto::HeapGraphRoot *> Roots;
    for (const Root &R : H.Roots) {
      perfetto::HeapGraphRoot *&To = Roots[R.Kind];
      if (!To) {
        To = Graph->add_roots();
        To->set_root_type(rootType(R.Kind));
      }
      To->add_object_ids(uint64_t{R.Object} + 1);
    }
    constexpr uint32_t kObjects = 20000;
    for (uint32_t I = 0; I < H.objects(); ++I) {
      if (I > 0 && I % kObjects == 0) {
        Graph->set_continued(true);
        finish();
        start();
      }
      object(I);
    }
    finish();
    return std::move(Out);
  }

private:
  void start() {
    perfetto::TracePacket *Packet = Part.add_packet();
    Packet->set_timestamp(H.Header.UnixNs);
    Packet->set_trusted_packet_sequence_id(1);
    Graph = Packet->mutable_heap_graph();
    Graph->set_pid(static_cast<int32_t>(H.Header.Pid));
    Graph->set_index(Index++);
  }
  /// A trace is a sequence of packets.
  void finish() {
    Part.AppendToString(&Out);
    Part.Clear();
  }

  /// Types are the names that reports give blocks, numbered from 1.
  void nameTypes() {
    std::map<std::string, uint64_t> Names;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> Known; // type, site
    TypeIds.reserve(H.objects());
    for (uint32_t I = 0; I < H.objects(); ++I) {
      const auto [Of, New] =
          Known.try_emplace({H.TypeOf[I], H.SiteOf[I]}, uint64_t{0});
      if (New) {
        const std::string_view Type = H.TypeOf[I]
                                          ? H.Types[H.TypeOf[I] - 1].Record.Name
                                          : std::string_view();
        const auto [Name, IsNew] = Names.try_emplace(
            shownBlocks(H, Type, H.SiteOf[I]), Names.size() + 1);
        Of->second = Name->second;
        if (IsNew) {
          perfetto::HeapGraphType *To = Graph->add_types();
          To->set_id(Name->second);
          To->set_class_name(Name->first);
        }
      }
      TypeIds.push_back(Of->second);
    }
  }

  void object(uint32_t I) {
    perfetto::HeapGraphObject *To = Graph->add_objects();
    To->set_id(uint64_t{I} + 1);
    To->set_type_id(TypeIds[I]);
    To->set_self_size(H.Size[I]);
    for (uint64_t E = H.FirstEdge[I]; E < H.FirstEdge[I + 1]; ++E) {
      if (H.kindOf(E) == EdgeKind::Weak)
        continue;
      To->add_reference_field_id(H.EdgeLabel[E] >> 3);
      To->add_reference_object_id(uint64_t{H.EdgeTo[E]} + 1);
    }
  }

  const Heap &H;
  std::string Out;
  perfetto::Trace Part;
  perfetto::HeapGraph *Graph = nullptr;
  uint64_t Index = 0;
  std::vector<uint64_t> TypeIds; ///< by object
};

} // namespace

std::string perfettoOf(const Heap &H) { return GraphWriter(H).run(); }

} // namespace inmem::heap
