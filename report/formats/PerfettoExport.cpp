//===- PerfettoExport.cpp - Perfetto's trace ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A heap profile like heapprofd's, with call stacks that end in the type. If
// the trace has snapshots, a counter of live bytes for each of the largest
// types. trace_processor shows the first in heap_profile_allocation. Samples of
// threads are written as traced_perf does: perf_sample has them. The trace has
// only sums, so a thread's samples follow each other from its start, one per
// interval.
//
//===----------------------------------------------------------------------===//
#include "report/formats/ExportSamples.h"
#include "report/model/View.h"
#include "report/names/TypeName.h"

#include "formats/perfetto.pb.h"

#include <fmt/format.h>
#include <set>

namespace inmem::report {

namespace {

constexpr uint32_t kSequence = 1, kStateCleared = 1, kNeedsState = 2;
constexpr uint64_t kProcess = 1; ///< uuid of its track

class PerfettoWriter {
public:
  explicit PerfettoWriter(const Profile &From) : P(From) {
    if (!P.Processes.empty())
      Pid = P.Processes[0].Pid;
  }

  std::string write() {
    addClocks();
    addProcess();
    addCounters();
    addProfile();
    return Out.SerializeAsString();
  }

  std::string writeTimes() {
    addProcess();
    addTimes();
    return Out.SerializeAsString();
  }

private:
  perfetto::TracePacket &packet(uint64_t Ns) {
    perfetto::TracePacket *Packet = Out.add_packet();
    Packet->set_timestamp(Ns);
    Packet->set_trusted_packet_sequence_id(kSequence);
    return *Packet;
  }

  /// Times of a heap profile use another clock than times of packets. Without
  /// clock snapshots, trace_processor drops the profile.
  void addClocks() {
    constexpr uint32_t kRealTime = 1, kCoarse = 4, kBootTime = 6;
    perfetto::ClockSnapshot &Clocks = *packet(0).mutable_clock_snapshot();
    for (const auto &[Clock, Ns] :
         {std::pair{kBootTime, uint64_t{0}}, std::pair{kCoarse, uint64_t{0}},
          std::pair{kRealTime,
                    P.Processes.empty() ? 0 : P.Processes[0].StartUnixNs}}) {
      perfetto::ClockSnapshot::Clock &To = *Clocks.add_clocks();
      To.set_clock_id(Clock);
      To.set_timestamp(Ns);
    }
  }

  void addProcess() {
    perfetto::TracePacket &Packet = packet(0);
    Packet.set_sequence_flags(kStateCleared);
    perfetto::TrackDescriptor &Track = *Packet.mutable_track_descriptor();
    Track.set_uuid(kProcess);
    perfetto::ProcessDescriptor &Process = *Track.mutable_process();
    Process.set_pid(static_cast<int32_t>(Pid));
    if (P.Processes.empty())
      return;
    for (const std::string &Word : P.Processes[0].Command)
      Process.add_cmdline(utf8(Word));
    if (Process.cmdline_size() > 0)
      Process.set_process_name(Process.cmdline(0));
    for (const auto &[Key, Value] : commonLabels(P))
      Process.add_process_labels(utf8(fmt::format("{}={}", Key, Value)));
  }

  /// Counters of the largest types, and of all types.
  void addCounters() {
    constexpr size_t kMost = 20;
    if (P.Timeline.empty())
      return;
    std::vector<uint64_t> All(P.Timeline.size());
    const std::vector<TypeRow> Rows = selectTypeRows(P, {});
    for (size_t I = 0; I < Rows.size(); ++I) {
      const std::vector<uint64_t> &Live = Rows[I].liveBytesAt();
      for (size_t At = 0; At < std::min(All.size(), Live.size()); ++At)
        All[At] += Live[At];
      if (I < kMost && !Live.empty())
        addCounter(2 + I, "live bytes: " + Rows[I].name(), Live);
    }
    addCounter(2 + kMost, "live bytes", All);
  }

  void addCounter(uint64_t Uuid, const std::string &Name,
                  const std::vector<uint64_t> &Values) {
    perfetto::TrackDescriptor &Track = *packet(0).mutable_track_descriptor();
    Track.set_uuid(Uuid);
    Track.set_parent_uuid(kProcess);
    Track.set_name(utf8(Name));
    Track.mutable_counter()->set_unit(
        perfetto::CounterDescriptor::UNIT_SIZE_BYTES);
    for (size_t At = 0; At < P.Timeline.size(); ++At) {
      perfetto::TrackEvent &Event =
          *packet(P.Timeline[At].Ns).mutable_track_event();
      Event.set_type(perfetto::TrackEvent::TYPE_COUNTER);
      Event.set_track_uuid(Uuid);
      Event.set_counter_value(
          At < Values.size() ? static_cast<int64_t>(Values[At]) : 0);
    }
  }

  void addProfile() {
    uint64_t End = 0;
    if (!P.Processes.empty())
      End = P.Processes[0].DurationNs.value_or(0);
    perfetto::TracePacket &Packet = packet(End);
    Packet.set_sequence_flags(kNeedsState);
    intern(Packet);
    perfetto::ProfilePacket::ProcessHeapSamples &Dump =
        *Packet.mutable_profile_packet()->add_process_dumps();
    Dump.set_pid(Pid);
    Dump.set_from_startup(true);
    Dump.set_timestamp(End);
    Dump.set_heap_name("inmem");
    Dump.set_sampling_interval_bytes(1);
    for (const ExportSample &S : samplesOf(P)) {
      perfetto::ProfilePacket::HeapSample &To = *Dump.add_samples();
      To.set_callstack_id(stack(S.Chain, "type " + utf8(S.Type)));
      // Blocks from before a reset were also allocated.
      To.set_self_allocated(S.Sum.AllocatedBytes + S.Sum.CarriedBytes);
      To.set_self_freed(S.Sum.FreedBytes);
      To.set_alloc_count(S.Sum.Allocations + S.Sum.CarriedAllocations);
      To.set_free_count(S.Sum.Frees);
    }
  }

  void addTimes() {
    if (!P.Samples)
      return;
    auto &Base = *Out.mutable_packet(0)
                      ->mutable_trace_packet_defaults()
                      ->mutable_perf_sample_defaults()
                      ->mutable_timebase();
    Base.set_period(P.Samples->IntervalNs);
    Base.set_counter(perfetto::PerfSampleDefaults::Timebase::SW_CPU_CLOCK);
    Base.set_name(P.Samples->Clock);
    perfetto::TracePacket &Words = packet(0);
    Words.set_sequence_flags(kNeedsState);
    intern(Words);
    std::map<uint32_t, uint64_t> Next; // by thread
    for (const ThreadResult &T : P.Threads)
      Next.emplace(T.Tid, T.BeganNs.value_or(0));
    std::set<uint32_t> Described;
    for (const TimeSample &S : timesOf(P)) {
      if (Described.insert(S.Of.Tid).second)
        addThread(S.Of);
      // A waiting thread shows the function in which it waits.
      const bool Runs = S.Of.State == "running";
      const uint64_t Stack =
          stack(S.Chain, Runs ? "" : '[' + utf8(S.Of.State) + ']');
      uint64_t &Ns = Next[S.Of.Tid];
      for (uint64_t N = 0; N < S.Of.Count; ++N, Ns += P.Samples->IntervalNs) {
        perfetto::TracePacket &Packet = packet(Ns);
        Packet.set_sequence_flags(kNeedsState);
        perfetto::PerfSample &To = *Packet.mutable_perf_sample();
        To.set_cpu(0);
        To.set_pid(static_cast<uint32_t>(Pid));
        To.set_tid(S.Of.Tid);
        To.set_cpu_mode(perfetto::PerfSample::MODE_USER);
        To.set_callstack_iid(Stack);
      }
    }
  }

  void addThread(const SampledStack &Of) {
    constexpr uint64_t kThreads = 1000; // uuids of their tracks follow
    perfetto::TrackDescriptor &Track = *packet(0).mutable_track_descriptor();
    Track.set_uuid(kThreads + Of.Tid);
    Track.set_parent_uuid(kProcess);
    perfetto::ThreadDescriptor &Thread = *Track.mutable_thread();
    Thread.set_pid(static_cast<int32_t>(Pid));
    Thread.set_tid(static_cast<int32_t>(Of.Tid));
    Thread.set_thread_name(utf8(Of.Thread));
  }

  /// Each packet has the tables that its stacks refer to.
  void intern(perfetto::TracePacket &Packet) {
    Interned = Packet.mutable_interned_data();
    // Frames without a mapping are dropped.
    perfetto::InternedString *Path = Interned->add_mapping_paths();
    Path->set_iid(1);
    Path->set_str(P.Processes.empty() ? "" : P.Processes[0].Executable);
    Interned->add_build_ids()->set_iid(1);
    Interned->mutable_build_ids(0)->set_str("");
    perfetto::ProfileMapping *Mapping = Interned->add_mappings();
    Mapping->set_iid(1);
    Mapping->set_build_id(1);
    Mapping->add_path_string_ids(1);
  }

  uint64_t frame(const std::string &Name) {
    const auto [At, New] = Frames.try_emplace(Name, Frames.size() + 1);
    if (New) {
      perfetto::InternedString *Text = Interned->add_function_names();
      Text->set_iid(At->second);
      Text->set_str(Name);
      perfetto::ProfileFrame *Frame = Interned->add_frames();
      Frame->set_iid(At->second);
      Frame->set_function_name_id(At->second);
      Frame->set_mapping_id(1);
      Frame->set_rel_pc(At->second);
    }
    return At->second;
  }

  /// \p Innermost is inside the chain, unless it is empty.
  uint64_t stack(const std::vector<SourceLocation> &Chain,
                 const std::string &Innermost) {
    std::vector<uint64_t> Ids; // outermost first
    for (auto At = Chain.rbegin(); At != Chain.rend(); ++At)
      Ids.push_back(frame(utf8(functionOf(*At))));
    if (!Innermost.empty())
      Ids.push_back(frame(Innermost));
    const auto [At, New] =
        Stacks.try_emplace(std::move(Ids), Stacks.size() + 1);
    if (New) {
      perfetto::Callstack *To = Interned->add_callstacks();
      To->set_iid(At->second);
      for (const uint64_t Id : At->first)
        To->add_frame_ids(Id);
    }
    return At->second;
  }

  const Profile &P;
  uint64_t Pid = 0;
  perfetto::Trace Out;
  perfetto::InternedData *Interned = nullptr;
  std::map<std::string, uint64_t> Frames;
  std::map<std::vector<uint64_t>, uint64_t> Stacks;
};

} // namespace

std::string writePerfetto(const Profile &P) {
  return PerfettoWriter(P).write();
}

std::string writePerfettoTimes(const Profile &P) {
  return PerfettoWriter(P).writeTimes();
}

} // namespace inmem::report
