#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads exports by their formats' own published definitions, and holds them against the report.

  proto_exports.py perfetto|samples|otlp|heapgraph FILE REPORT.json

perfetto and opentelemetry-proto are the Python packages of those projects. viewers.mjs opens what is Perfetto's
in Perfetto itself. Exit code 1: something differs.
"""
import itertools
import json
import re
import sys


def check(what, found, expected):
    if found != expected:
        sys.exit(f"proto_exports.py: {what}: expected {expected}, found {found}")
    print(f"{what}: {found}")


def no_unknown(message):
    """Every field is one of the definition's."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    check(f"unknown fields of {message.DESCRIPTOR.name}", len(UnknownFieldSet(message)), 0)


def no_unknown_quietly(*messages):
    from google.protobuf.unknown_fields import UnknownFieldSet

    for message in messages:
        if len(UnknownFieldSet(message)):
            sys.exit(f"proto_exports.py: unknown fields of {message.DESCRIPTOR.name}")


def perfetto_trace(file):
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2

    trace = perfetto_trace_pb2.Trace()
    with open(file, "rb") as content:
        trace.ParseFromString(content.read())
    no_unknown(trace)
    for packet in trace.packet:
        if len(packet.ListFields()) == 0:
            sys.exit("proto_exports.py: an empty packet")
    return trace


def perfetto(file, report):
    trace = perfetto_trace(file)
    totals = report["totals"]
    (packet,) = [p for p in trace.packet if p.HasField("profile_packet")]
    for part in (packet, packet.interned_data, packet.profile_packet):
        no_unknown(part)
    data = packet.interned_data
    names = {each.iid: each.str.decode() for each in data.function_names}
    mappings = {each.iid for each in data.mappings}
    frames = {each.iid: names[each.function_name_id] for each in data.frames if each.mapping_id in mappings}
    stacks = {each.iid: [frames[frame] for frame in each.frame_ids] for each in data.callstacks}
    (dump,) = packet.profile_packet.process_dumps
    check("pid", dump.pid, report["processes"][0]["pid"])
    for member, field in [("allocated_bytes", "self_allocated"), ("freed_bytes", "self_freed"),
                          ("allocations", "alloc_count"), ("frees", "free_count")]:
        check(member, sum(getattr(sample, field) for sample in dump.samples), totals[member])
    types = {stacks[sample.callstack_id][-1] for sample in dump.samples}
    check("types", types, {f"type {site['name']}" for row in report["types"] for site in row["sites"] if site["allocations"]})
    tracks = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}
    last = {p.track_event.track_uuid: p.track_event.counter_value for p in trace.packet if p.HasField("track_event")}
    if "timeline" in report:
        (whole,) = [uuid for uuid, track in tracks.items() if track.name == "live bytes"]
        check("live bytes at the end", last[whole], totals["live_bytes"])
    process = [track.process for track in tracks.values() if track.HasField("process")][0]
    labels = report["processes"][0].get("labels", {})
    check("labels", sorted(process.process_labels), sorted(f"{key}={value}" for key, value in labels.items()))


def samples(file, report):
    trace = perfetto_trace(file)
    for packet in trace.packet:
        no_unknown_quietly(packet, packet.perf_sample, packet.track_descriptor, packet.track_descriptor.thread)
    profile = report["profile"]
    (data,) = [packet.interned_data for packet in trace.packet if packet.HasField("interned_data")]
    names = {each.iid: each.str.decode() for each in data.function_names}
    frames = {each.iid: names[each.function_name_id] for each in data.frames}
    stacks = {each.iid: [frames[frame] for frame in each.frame_ids] for each in data.callstacks}
    (base,) = [packet.trace_packet_defaults.perf_sample_defaults.timebase for packet in trace.packet
               if packet.HasField("trace_packet_defaults")]
    check("interval", base.period, profile["interval_ns"])
    threads = {each.tid: each.thread_name for each in (packet.track_descriptor.thread for packet in trace.packet)
               if each.tid}
    found = [packet for packet in trace.packet if packet.HasField("perf_sample")]
    check("samples", len(found), profile["unwound"])
    by_self, by_thread, times, blocked = {}, {}, {}, 0
    for packet in found:
        sample = packet.perf_sample
        stack = list(stacks[sample.callstack_iid])
        if stack[-1].startswith("["):
            blocked += 1
            stack.pop()
        if stack:
            by_self[stack[-1]] = by_self.get(stack[-1], 0) + 1
        name = threads[sample.tid]
        by_thread[name] = by_thread.get(name, 0) + 1
        times.setdefault(sample.tid, []).append(packet.timestamp)
    check("blocked", blocked, profile["blocked"])
    # Exports name functions as reports do, without parameters.
    check("self", by_self, {re.sub(r"\([^()]*\)( const)?$", "", row["function"]): row["self"]
                            for row in profile["functions"] if row["self"]})
    most = {row["thread"]: row["samples"] for row in profile["threads"]}
    check("threads", [name for name, count in by_thread.items() if count > most[name]], [])
    for each in times.values():
        if [b - a for a, b in itertools.pairwise(each)] != [base.period] * (len(each) - 1):
            sys.exit("proto_exports.py: samples of a thread are not an interval apart")


def otlp(file, report):
    from opentelemetry.proto.profiles.v1development import profiles_pb2

    data = profiles_pb2.ProfilesData()
    with open(file, "rb") as content:
        data.ParseFromString(content.read())
    for message in (data, data.dictionary, data.resource_profiles[0], data.resource_profiles[0].scope_profiles[0]):
        no_unknown(message)
    words = data.dictionary
    text = words.string_table
    check("first string", text[0], "")
    sums, by_type = {}, {}
    for profile in data.resource_profiles[0].scope_profiles[0].profiles:
        kind = text[profile.sample_type.type_strindex]
        for sample in profile.samples:
            stack = words.stack_table[sample.stack_index]
            for location in stack.location_indices:
                for line in words.location_table[location].lines:
                    if not text[words.function_table[line.function_index].name_strindex]:
                        sys.exit("proto_exports.py: a function without a name")
            sums[kind] = sums.get(kind, 0) + sum(sample.values)
            attributes = [words.attribute_table[i] for i in sample.attribute_indices]
            keys = {text[each.key_strindex]: each.value for each in attributes}
            if kind == "alloc_space":
                name = keys["type"].string_value
                by_type[name] = by_type.get(name, 0) + sum(sample.values)
    totals = report["totals"]
    for kind, member in [("alloc_space", "allocated_bytes"), ("alloc_objects", "allocations"),
                         ("inuse_space", "live_bytes"), ("inuse_objects", "live_allocations")]:
        check(member, sums.get(kind, 0), totals[member])
    named = {}
    for site in (site for row in report["types"] for site in row["sites"] if site["allocated_bytes"]):
        named[site["name"]] = named.get(site["name"], 0) + site["allocated_bytes"]
    check("by name", by_type, named)
    resource = {each.key: each.value.string_value for each in data.resource_profiles[0].resource.attributes}
    for key, value in report["processes"][0].get("labels", {}).items():
        check(f"label {key}", resource.get(key), value)


def heapgraph(file, report):
    trace = perfetto_trace(file)
    graphs = [packet.heap_graph for packet in trace.packet if packet.HasField("heap_graph")]
    for graph in graphs:
        no_unknown(graph)
    check("packets in order", [graph.index for graph in graphs], list(range(len(graphs))))
    check("continued", [graph.continued for graph in graphs], [True] * (len(graphs) - 1) + [False])
    objects = {each.id: each for graph in graphs for each in graph.objects}
    types = {each.id: each.class_name for graph in graphs for each in graph.types}
    totals = report["totals"]
    check("objects", len(objects), totals["objects"])
    check("bytes", sum(each.self_size for each in objects.values()), totals["bytes"])
    by_type = {}
    for each in objects.values():
        name = types[each.type_id]
        by_type[name] = by_type.get(name, 0) + each.self_size
        check_edges = [target for target in each.reference_object_id if target not in objects]
        if check_edges or len(each.reference_field_id) != len(each.reference_object_id):
            sys.exit("proto_exports.py: a reference to nothing")
    reached, todo = set(), [each for graph in graphs for root in graph.roots for each in root.object_ids]
    while todo:
        each = todo.pop()
        if each not in reached:
            reached.add(each)
            todo += objects[each].reference_object_id
    check("reachable bytes", sum(objects[each].self_size for each in reached), totals["reachable_bytes"])
    check("by name", by_type, {kind["name"]: kind["bytes"] for kind in report["kinds"]})
    print("types:", sorted(by_type))


def main():
    with open(sys.argv[3]) as text:
        report = json.load(text)
    globals()[sys.argv[1]](sys.argv[2], report)


if __name__ == "__main__":
    main()
