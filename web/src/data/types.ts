// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of the head; `inmem-report/1` as docs/ and report/formats/JsonReport.cpp have it.

/** null: another tool recorded it, and did not count that. */
export interface Counts {
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
}

export interface Bucket {
  from: number;
  to: number;
  count: number;
  bytes: number;
}

export interface Lifetime {
  unit: "ns" | "bytes";
  count: number;
  timed: number;
  min: number | null;
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  max: number | null;
  histogram: Bucket[];
}

export interface Place {
  function: string | null;
  file: string | null;
  line: number | null;
}

export interface ObjectSite extends Place {
  storage: string;
  manner: string;
  constructed: number;
  alive: number | null;
}

export interface Objects {
  constructed: Record<string, number>;
  destroyed: number | null;
  alive: number | null;
  copied: number;
  moved: number;
  defaulted: number;
  converted: number;
  aggregate: number;
  other: number;
  peak_alive: number | null;
  destroyed_in: Record<string, number> | null;
  lifetime: Lifetime | null;
  sites: ObjectSite[];
}

export interface TypeRow extends Counts {
  type: string | null;
  alias: string | null;
  size: number | null;
  align: number | null;
  peak_live_bytes: number | null;
  /** Where the peak is not known. */
  peak_live_bytes_at_most?: number;
  temporary_allocations: number | null;
  elements: number | null;
  objects: Objects | null;
  lifetime: Lifetime | null;
  /** Blocks of several names, such as `char` and `std::string buffer`; they add up to the type. */
  kinds?: Kind[];
}

export interface Kind extends Counts {
  name: string;
  temporary_allocations: number | null;
  lifetime: Lifetime | null;
}

export interface Finding {
  rule: string;
  severity: string;
  type: string | null;
  /** As text names it. */
  about: string;
  site: Place;
  bytes: number;
  allocations: number;
  saves_bytes: number;
  saves_allocations: number;
  message: string;
  advice: string;
}

export interface Thread {
  pid: number;
  index: number;
  tid: number | null;
  name: string | null;
  allocations: number;
  allocated_bytes: number;
  frees: number;
  freed_bytes: number;
  temporary_allocations: number;
}

export interface ThreadId {
  pid: number;
  index: number;
  tid: number;
  name: string;
}

export interface Process {
  pid: number;
  command: string[] | null;
  host: string | null;
  start_unix_ns: number | null;
  duration_ns: number | null;
  complete: boolean;
  clock: string;
  trace: string;
}

export interface Phase extends Counts {
  name: string | null;
  begin_ns: number;
  duration_ns: number;
  peak_live_bytes: number | null;
}

export interface Frees {
  functions: {
    type: string | null;
    allocated_by: Place | null;
    freed_by: Place | null;
    frees: number;
    freed_bytes: number;
  }[];
  threads: { allocated_in: ThreadId | null; freed_in: ThreadId | null; frees: number; freed_bytes: number }[];
}

export interface ProfiledFunction extends Place {
  self: number;
  total: number;
  running: number;
  blocked: number;
  interesting: number;
}

export interface Report {
  processes: Process[];
  findings: Finding[];
  totals: Counts & { peak_live_bytes: number | null; temporary_allocations: number | null };
  types: TypeRow[];
  threads?: Thread[];
  frees?: Frees;
  phases?: Phase[];
  timeline?: { points: { ns: number; kind: string; name: string | null }[] };
  leaked_objects: {
    type: string | null;
    constructed: number;
    destroyed: number;
    alive: number;
    sites: ObjectSite[];
  }[];
  copies: (Place & { type: string | null; copies: number; bytes: number | null; storage: string })[];
  notes: string[];
  profile?: { clock: string; interval_ns: number; samples: number; unwound: number; functions: ProfiledFunction[] };
}

export interface Field {
  name: string;
  type: string;
  offset: number;
  size: number;
  kind: string;
  bit: number;
}

export interface SideHead {
  label: string;
  report: Report;
  aliases: string[];
  /** What the class of a type is called where objects are counted. */
  classes: string[];
  /** The name of what the C and C++ libraries keep for themselves. */
  library: string;
  /** Figures that another tool did not count by site: names of columns. */
  unknown: string[];
  /** What it counted instead of bytes allocated: "at peak", "live"; else "bytes". */
  bytes_are: string;
  life_edges: number[];
  fields: Record<string, { fields: Field[]; packed: { bytes: number; order: string[] } | null }>;
  sources: { file: string; text: string }[];
  folded_rows: number;
  stacks: boolean;
  time: { begin_ns: number; of_events: boolean; has_threads: boolean; ends_ns: number[] } | null;
  strings: string[];
}

export interface DiffCounts {
  allocations: number;
  allocated_bytes: number;
  live_bytes: number;
}

export interface TraceFile {
  file: string;
  bytes: number;
  modified: number;
  command: string;
  pid: number;
  host: string;
  start_unix_ns: number;
  duration_ns: number;
  running: boolean;
  labels: string;
  /** The build ID of the program, in hexadecimal; empty: unknown. */
  build: string;
  error: string;
}

/** `inmem-heap/1` as heap/JsonHeap.cpp has it, and the dominator tree by type. */
export interface HeapSnapshot {
  process: { pid: number; taken_unix_ns: number; pause_ns: number };
  totals: { objects: number; bytes: number; edges: number; reachable_bytes: number; unreachable_bytes: number | null };
  /** Why blocks may be missing, so that nothing is called out of reach; of older snapshots it is not known. */
  partial?: string[];
  types: { type: string | null; objects: number; bytes: number; retained_bytes: number }[];
  leaks: {
    type: string | null;
    objects: number;
    bytes: number;
    retained_bytes: number;
    verdict: string;
    age_ns: number | null;
    site: Place | null;
    caller?: Place;
  }[];
  largest: {
    type: string | null;
    address: number;
    bytes: number;
    retained_bytes: number;
    path: string;
    site: Place | null;
    caller?: Place;
  }[];
  roots: {
    kind: string;
    where: string | null;
    objects: number;
    retained_bytes: number;
    only_from_here_bytes: number;
  }[];
  collections: {
    owner: string | null;
    field: string | null;
    container: string | null;
    elements: number;
    retained_bytes: number;
  }[];
  duplicates: {
    type: string | null;
    bytes_each: number;
    copies: number;
    /** Different ones: as many blocks would do. */
    contents: number;
    wasted_bytes: number;
    site: Place | null;
    caller?: Place;
  }[];
  sparse: {
    owner: string | null;
    field: string | null;
    container: string | null;
    containers: number;
    elements: number;
    capacity: number;
    wasted_bytes: number;
  }[];
  padding: { type: string | null; bytes_each: number; objects: number; bytes: number; order: string[] }[];
  /** By node, holders before what they hold; node 0 is all that holds. */
  holders: { parent: number[]; type: (string | null)[]; objects: number[]; bytes: number[] };
  /** What reports call types, by spelling; the others keep theirs. */
  aliases: Record<string, string>;
}

export interface Head {
  schema: string;
  kind: "report" | "diff" | "list";
  // biome-ignore lint/suspicious/noExplicitAny: inmem-diff/1, read by pages/Diff.tsx alone
  diff?: any;
  folded_below?: number;
  sides: SideHead[];
  columns?: [string, number, "u" | "s" | "d"][];
  traces?: TraceFile[];
  heap?: HeapSnapshot | null;
  served?: { data: string; running: boolean };
}
