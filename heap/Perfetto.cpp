//===- Perfetto.cpp - Perfetto's heap graph -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfetto.protos.HeapGraph, which its UI shows as a flame graph of dominators:
// objects with type and size, references with the names of members, roots. In
// packets of some objects each. Weak references hold nothing, and are left out.
//
//===----------------------------------------------------------------------===//
#include "heap/SnapshotViews.h"

#include "formats/perfetto.pb.h"

#include <map>

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
    for (size_t I = 0; I < H.Types.size(); ++I)
      type(I + 2, std::string(H.Types[I].Record.Name));
    type(1, "(unknown type)");
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
  /// Packets one behind the other are a trace.
  void finish() {
    Part.AppendToString(&Out);
    Part.Clear();
  }

  void type(uint64_t Id, const std::string &Name) {
    perfetto::HeapGraphType *To = Graph->add_types();
    To->set_id(Id);
    To->set_class_name(shownType(Name));
  }

  void object(uint32_t I) {
    perfetto::HeapGraphObject *To = Graph->add_objects();
    To->set_id(uint64_t{I} + 1);
    To->set_type_id(H.TypeOf[I] ? uint64_t{H.TypeOf[I]} + 1 : 1);
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
};

} // namespace

std::string perfettoOf(const Heap &H) { return GraphWriter(H).run(); }

} // namespace inmem::heap
