// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by scripts/lint --fix from docs/schema/inmem-report-1.json.

export type CarriedAllocations = number;

export type CarriedBytes = number;

export interface Confidence95 {
  allocations: number;
  allocated_bytes: number;
}

export interface SourceLocation {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
}

export interface FindingSite {
  function: string | null;
  file: string | null;
  line: number | null;
}

export interface Frame {
  function: string;
  file: string | null;
  line: number | null;
  module: string | null;
  kind: "call" | "inlined" | "tail call" | "signal" | "cut" | "lost";
}

export type Histogram = {
  /** included */
  from: number;
  /** not included */
  to: number;
  count: number;
  bytes: number;
}[];

export type Buckets = {
  /** included */
  from: number;
  /** not included; null: no upper end */
  to: number | null;
  count: number;
  bytes: number;
}[];

export interface Lifetime {
  unit: "ns" | "bytes" | "allocations";
  /** blocks freed */
  count: number;
  /** of which the lifetime was measured */
  timed: number;
  min: number | null;
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  max: number | null;
  /** counts add up to count */
  histogram: Histogram;
  /** those of --buckets */
  buckets?: Buckets;
}

export interface AtPeak {
  bytes: number | null;
  blocks: number | null;
  bytes_at_least: number;
  bytes_at_most: number;
  blocks_at_least: number;
  blocks_at_most: number;
}

export interface ObjectSite {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  storage: string;
  manner: string;
  constructed: number;
  alive: number | null;
}

export interface Objects {
  constructed: {
    heap: number;
    stack: number;
    static: number;
    member: number;
    thread: number;
    placed: number;
    unknown: number;
  };
  destroyed: number | null;
  carried: number | null;
  alive: number | null;
  defaulted: number;
  copied: number;
  moved: number;
  converted: number;
  aggregate: number;
  other: number;
  peak_alive: number | null;
  peak_alive_at_least: number | null;
  peak_alive_at_most: number | null;
  destroyed_in: {
    heap: number;
    stack: number;
    static: number;
    member: number;
    thread: number;
    placed: number;
    unknown: number;
  } | null;
  /** with objects=lifetime */
  lifetime: Lifetime | null;
  sites: ObjectSite[];
}

export interface Site {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  /** how sure the type is; absent if it is unknown */
  type_source?: "compiler" | "certain" | "inferred" | "symbol";
  kind: string | null;
  module: string | null;
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  temporary_allocations: number | null;
  /** a readable name of its type */
  alias: string | null;
  /** what reports call its blocks */
  name: string;
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
  /** the nearest line of the program; absent if the site is the program's own, null if unknown */
  caller?: SourceLocation | null;
  at_peak?: AtPeak;
  /** objects constructed in its blocks, by class */
  held?: Record<string, number>;
  /** what was inlined there, innermost first */
  chain?: SourceLocation[];
  type?: string | null;
  lifetime?: Lifetime | null;
  lifetime_in_allocations?: Lifetime;
}

export interface Doubt {
  what: "disagree" | "too-small" | "remainder";
  type: string | null;
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  kind: string | null;
  module: string | null;
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  temporary_allocations: number | null;
  alias: string | null;
  caller?: SourceLocation | null;
  at_peak?: AtPeak;
  chain?: SourceLocation[];
}

export interface Kind {
  name: string;
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  temporary_allocations: number | null;
  lifetime: Lifetime | null;
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
  at_peak?: AtPeak;
}

export interface TypeRow {
  /** as the compiler spells it; null: unknown */
  type: string | null;
  /** how sure the type is, of its sites the least; absent if it is unknown */
  type_source?: "compiler" | "certain" | "inferred" | "symbol";
  alias: string | null;
  /** what reports call its blocks; each of kinds has a name if there are several */
  name: string;
  size: number | null;
  align: number | null;
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  peak_live_bytes: number | null;
  temporary_allocations: number | null;
  elements: number | null;
  objects: Objects | null;
  /** in the order of layout; with accesses=on, if accesses to the type were counted */
  fields?: Field[];
  /** bytes that accesses to the objects read and wrote, for each byte allocated; with accesses=on */
  accesses_per_byte?: {
    reads: number;
    writes: number;
  };
  /** loops over arrays of the type, most elements first; with accesses=on */
  streams?: Stream[];
  lifetime: Lifetime | null;
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
  peak_live_bytes_at_most?: number;
  at_peak?: AtPeak;
  /** with clock=events */
  lifetime_in_allocations?: Lifetime;
  /** the rows of the text report, if the type has several */
  kinds?: Kind[];
  sites?: Site[];
  /** with --by stack */
  stacks?: TypeStack[];
}

export interface Field {
  /** null: padding, which has no counts */
  field: string | null;
  offset: number;
  /** of a bit-field, those that it has bits in */
  bytes: number;
  /** of a bit-field: the first in the byte at offset */
  bit?: number;
  bits?: number;
  type?: string;
  /** the base class that declares it */
  of?: string;
  reads?: number;
  writes?: number;
  /** reads that only copy; not in reads */
  copies?: number;
  /** of writes, those by constructors */
  initialised?: number;
  /** of reads, those by destructors */
  released?: number;
  /** false: some reads were of this field or another */
  exact?: boolean;
  /** code that does not name the field may access it, too */
  opaque?: boolean;
  hottest?: {
    function: string | null;
    file: string | null;
    line: number | null;
    column: number | null;
  };
}

export interface Stream {
  loop: {
    function: string | null;
    file: string | null;
    line: number | null;
    column: number | null;
  };
  /** that the loop passed over, all executions together */
  elements: number;
  /** those that it accessed */
  fields: string[];
  /** of these fields, all elements together */
  accessed_bytes: number;
}

export interface TypeStack {
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  temporary_allocations: number | null;
  mean_lifetime: number | null;
  /** callers first */
  frames: Frame[];
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
}

export interface StackSelf {
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  temporary_allocations: number | null;
  mean_lifetime: number | null;
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
}

export interface StackNode {
  function: string;
  file: string | null;
  line: number | null;
  module: string | null;
  kind: "call" | "inlined" | "tail call" | "signal" | "cut" | "lost";
  recursive: boolean;
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  temporary_allocations: number | null;
  mean_lifetime: number | null;
  self: StackSelf;
  children: StackNode[];
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
}

export interface Process {
  pid: number | null;
  parent_pid: number | null;
  command: string[] | null;
  host: string | null;
  executable: string | null;
  start_unix_ns: number | null;
  duration_ns: number | null;
  complete: boolean;
  cut: boolean;
  verified: boolean;
  clock: string | null;
  dropped_events: number;
  allocations: number | null;
  allocated_bytes: number | null;
  sample_bytes: number | null;
  every: number;
  trace: string;
  labels?: Record<string, string>;
}

export interface Finding {
  rule: string;
  severity: "high" | "medium" | "low";
  type: string | null;
  about: string;
  site: FindingSite;
  caller_known: boolean;
  bytes: number;
  allocations: number;
  saves_bytes: number;
  saves_allocations: number;
  saves_peak_bytes?: number;
  /** bytes of arrays that loops then do not pass over */
  saves_streamed_bytes?: number;
  measure?: "traffic" | "footprint";
  scores?: {
    traffic: number;
    footprint: number;
  };
  message: string;
  advice: string;
  final_size?: {
    p50: number;
    p99: number;
  };
  reserve?: number;
  fields?: string[];
  allocates_at?: FindingSite;
  lines?: {
    line: number;
    allocations: number;
  }[];
}

export interface Thread {
  pid: number;
  index: number;
  tid: number | null;
  name: string | null;
  start_routine: string | null;
  allocations: number;
  allocated_bytes: number;
  frees: number;
  freed_bytes: number;
  /** allocated less freed; negative if it freed others' blocks */
  live_bytes: number;
  temporary_allocations: number;
  created_ns: number | null;
  died_ns: number | null;
  /** with watch= */
  timeline?: {
    from_ns: number;
    width_ns: number;
    bytes: number[];
    crossings: number;
  };
}

export interface Sampled {
  clock: "wall" | "cpu";
  interval_ns: number;
  samples: number;
  unwound: number;
  running: number;
  blocked: number;
  signal_blocked: number;
  dropped: number;
  other_samples: number;
  functions: {
    function: string;
    file: string | null;
    line: number | null;
    self: number;
    total: number;
    running: number;
    blocked: number;
    interesting: number;
    allocator: number;
    allocations: number;
    allocated_bytes: number;
    offsets?: {
      offset: number;
      self: number;
    }[];
  }[];
  threads: {
    thread: string;
    samples: number;
  }[];
  waits: {
    wait: string;
    samples: number;
  }[];
}

export interface PhaseObjects {
  constructed: number;
  destroyed: number | null;
  carried: number | null;
  alive: number | null;
  copied: number;
  moved: number;
  peak_alive: number | null;
}

export interface Phase {
  pid: number;
  name: string | null;
  begin_ns: number;
  duration_ns: number;
  allocations: number | null;
  allocated_bytes: number | null;
  frees: number | null;
  freed_bytes: number | null;
  live_allocations: number | null;
  live_bytes: number | null;
  peak_live_bytes: number | null;
  constructed: number | null;
  destroyed: number | null;
  copied: number | null;
  types: {
    type: string | null;
    allocations: number | null;
    allocated_bytes: number | null;
    frees: number | null;
    freed_bytes: number | null;
    live_allocations: number | null;
    live_bytes: number | null;
    peak_live_bytes: number | null;
    objects: PhaseObjects | null;
    carried_allocations?: CarriedAllocations;
    carried_bytes?: CarriedBytes;
    confidence_95?: Confidence95;
  }[];
  carried_allocations?: CarriedAllocations;
  carried_bytes?: CarriedBytes;
  confidence_95?: Confidence95;
}

export interface Share {
  allocations: number;
  allocated_bytes: number;
  live_bytes: number;
  direct_allocations: number;
  direct_bytes: number;
  class: string;
  methods: {
    allocations: number;
    allocated_bytes: number;
    live_bytes: number;
    direct_allocations: number;
    direct_bytes: number;
    method: string;
  }[];
}

export interface Blame {
  classes: Share[];
  nobody: {
    allocations: number;
    allocated_bytes: number;
  };
  types: {
    type: string | null;
    classes: Share[];
  }[];
}

export type FreeingThread = {
  pid: number;
  index: number;
  tid: number;
  name: string;
} | null;

export type FreeingPlace = {
  function: string;
  file: string | null;
  line: number | null;
} | null;

export interface Frees {
  functions: {
    type: string | null;
    /** what reports call the blocks */
    name: string;
    allocated_by: FreeingPlace;
    freed_by: FreeingPlace;
    frees: number;
    freed_bytes: number;
  }[];
  threads: {
    allocated_in: FreeingThread;
    freed_in: FreeingThread;
    frees: number;
    freed_bytes: number;
  }[];
  cells: {
    type: string | null;
    /** what reports call the blocks */
    name: string;
    allocated_by: FreeingPlace;
    freed_by: FreeingPlace;
    allocated_in: FreeingThread;
    freed_in: FreeingThread;
    /** elements of frames, the innermost first */
    stack: number[];
    /** those of stack; empty once the cells before have 20,000 in all */
    frames: Frame[];
    frees: number;
    freed_bytes: number;
  }[];
  /** each once; cells have their numbers */
  frames: Frame[];
}

export type Timeline = {
  /** what ns counts, where another tool did not count time */
  unit?: "instructions" | "bytes";
  points: {
    ns: number;
    kind: string;
    name: string | null;
    /** the resident size, inmem's own memory included; absent if unknown */
    rss_bytes?: number;
  }[];
  types: {
    type: string | null;
    live_bytes: number[];
    slope: {
      bytes_per_second: number;
      low: number;
      high: number;
    } | null;
    grows_without_bound: boolean | null;
  }[];
} | null;

export interface Leaked {
  type: string | null;
  constructed: number;
  destroyed: number;
  alive: number;
  blocks: {
    function: string | null;
    file: string | null;
    line: number | null;
    column: number | null;
    live_allocations: number;
    live_bytes: number;
    caller?: SourceLocation | null;
  }[];
  sites: ObjectSite[];
}

export interface Mapped {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  /** the nearest line of the program; absent if the call is the program's own, null if unknown */
  caller?: SourceLocation | null;
  module: string | null;
  /** the function that mapped first */
  call: "mmap" | "mremap" | "sbrk";
  calls: number;
  mapped_bytes: number;
  /** of what this caller mapped, whoever unmapped it or mapped over it */
  unmapped_bytes: number;
  live_bytes: number;
  peak_bytes: number;
}

export interface Copy {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  type: string | null;
  storage: string;
  copies: number;
  bytes: number | null;
  allocations: number | null;
  allocated_bytes: number | null;
}

export interface Report {
  schema: "inmem-report/1";
  processes: Process[];
  /** the most valuable first */
  findings: Finding[];
  /** absent if the run was too short, or its duration is unknown */
  allocation_cost?: {
    /** of the run's time */
    share: number;
    /** by samples of profile=, else by a price for each block and byte */
    measured: boolean;
    /** null: allocation may be what takes the time */
    note: string | null;
  };
  totals: {
    allocations: number | null;
    allocated_bytes: number | null;
    frees: number | null;
    freed_bytes: number | null;
    live_allocations: number | null;
    live_bytes: number | null;
    peak_live_bytes: number | null;
    temporary_allocations: number | null;
    reallocations: number | null;
    /** with accesses=on: of arrays that loops passed over, whole elements */
    streamed_bytes?: number;
    carried_allocations?: CarriedAllocations;
    carried_bytes?: CarriedBytes;
    confidence_95?: Confidence95;
  };
  /** memory that the program maps itself (mmap=on), in bytes of whole pages; no part of totals. Absent if nothing was mapped, or a part of the run was chosen */
  mapped?: {
    calls: number;
    mapped_bytes: number;
    unmapped_bytes: number;
    /** still mapped */
    live_bytes: number;
    /** at most at one moment; over processes the sum */
    peak_bytes: number;
    /** the largest first */
    callers: Mapped[];
  };
  /** memory in the system's pages, inmem's own included; over processes the sum. Absent if it is not known of one. Of a process that was killed: as last noted, at a summary or as the peak of live bytes grew */
  rss?: {
    /** the highest resident size */
    peak_bytes: number;
    /** when the trace was last brought up to date */
    end_bytes: number;
  };
  /** blocks of the parent that a forked child inherited */
  before_fork: {
    allocations: number | null;
    allocated_bytes: number | null;
    frees: number | null;
    freed_bytes: number | null;
    live_allocations: number | null;
    live_bytes: number | null;
    types: {
      type: string | null;
      allocations: number | null;
      allocated_bytes: number | null;
      frees: number | null;
      freed_bytes: number | null;
      live_allocations: number | null;
      live_bytes: number | null;
      carried_allocations?: CarriedAllocations;
      carried_bytes?: CarriedBytes;
      confidence_95?: Confidence95;
    }[];
    carried_allocations?: CarriedAllocations;
    carried_bytes?: CarriedBytes;
    confidence_95?: Confidence95;
  } | null;
  types: TypeRow[];
  leaked_objects: Leaked[];
  copies: Copy[];
  notes: string[];
  /** with --by site */
  sites?: Site[];
  threads?: Thread[];
  /** samples, with profile= */
  profile?: Sampled;
  /** with --by stack */
  stacks?: {
    direction: "top-down" | "bottom-up";
    roots: StackNode[];
  };
  /** with --by blame */
  blame?: Blame;
  /** with --by frees */
  frees?: Frees;
  phases?: Phase[];
  timeline?: Timeline;
  /** with --diagnostics */
  diagnostics?: {
    rules: Record<string, {
      allocations: number;
      allocated_bytes: number;
    }>;
    doubts: Doubt[];
  };
}
