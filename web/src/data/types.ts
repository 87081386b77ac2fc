// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of the head; `inmem-report/1` and `inmem-heap/1` are written from docs/schema.

export type {
  Finding,
  FreeingThread,
  Kind,
  Lifetime,
  ObjectSite,
  Objects,
  Phase,
  Process,
  Report,
  SourceLocation,
  Thread,
  TypeRow,
} from "./schema/report";

import type { HeapReport } from "./schema/heap";
import type { Report, TypeRow } from "./schema/report";
import type { ResidentReport } from "./schema/resident";

export type ProfiledFunction = NonNullable<Report["profile"]>["functions"][0];

/** null: another tool recorded it, and did not count that. */
export type Counts = Pick<
  TypeRow,
  "allocations" | "allocated_bytes" | "frees" | "freed_bytes" | "live_allocations" | "live_bytes"
>;

export interface Field {
  name: string;
  type: string;
  offset: number;
  size: number;
  kind: string;
  bit: number;
}

/** Texts of reports about findings. */
export interface Advice {
  /** A line for each finding, in their order. */
  saves: string[];
  /** Savings of all of them, each block counted once. */
  together: { allocations: number; bytes: number; peak_bytes: number };
  /** Why none makes the program faster. */
  not_faster: string | null;
  /** Why there is no finding. */
  none: string | null;
}

export interface SideHead {
  label: string;
  report: Report;
  aliases: string[];
  /** Names of classes where objects are counted, by type. */
  classes: string[];
  /** Figures that another tool did not count by site: names of columns. */
  unknown: string[];
  /** Title of the bytes that it counted: "allocated", or "at the peak" or "live" if it did not count those. */
  bytes_are: string;
  life_edges: number[];
  fields: Record<string, { fields: Field[]; packed: { bytes: number; order: string[] } | null }>;
  /** `path`: absolute, for editors. */
  sources: { file: string; path: string; text: string }[];
  advice: Advice;
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

/** The report, and the dominator tree by type. */
export interface HeapSnapshot extends HeapReport {
  /** By node, holders before what they hold; node 0 is all that holds. */
  holders: { parent: number[]; name: string[]; objects: number[]; bytes: number[] };
  /** Names of types in reports, by spelling; the others keep their spelling. */
  aliases: Record<string, string>;
}

/** The table of resident memory, and the heap as dots (heap/PageMap.h). */
export interface ResidentMemory extends ResidentReport {
  map: {
    page_bytes: number;
    pages_per_dot: number;
    states: string;
    /** Dot and address, in turn. */
    stretches: number[];
    /** Dot, line (of `pins`), blocks and bytes, in turn. */
    shares: number[];
  };
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
  /** Links that open a line: a template with {file} and {line}; empty: none. */
  editor?: string;
  resident?: ResidentMemory | null;
  served?: { data: string; running: boolean };
}
