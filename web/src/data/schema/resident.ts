// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by scripts/lint --fix from docs/schema/inmem-resident-1.json.

export type Site = SourceLocation | null;

export interface SourceLocation {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
}

export interface ResidentReport {
  schema: "inmem-resident/1";
  process: {
    pid: number;
    taken_unix_ns: number;
    pause_ns: number;
  };
  allocator: "glibc" | "jemalloc" | "tcmalloc" | "mimalloc" | null;
  page_bytes: number;
  rss_bytes: number;
  pss_bytes: number | null;
  huge_bytes: number;
  swapped_bytes: number;
  /** of hugetlbfs; not part of rss_bytes */
  hugetlb_bytes: number;
  page_table_bytes: number | null;
  /** pages that KSM has merged with equal ones; part of rss_bytes */
  ksm_bytes: number | null;
  /** so that their figures are 0; null: not known */
  not_on_this_kernel: ("huge pages" | "KSM" | "swap" | "hugetlbfs")[] | null;
  /** why the snapshot is not whole; empty: it is */
  partial: string[];
  /** add up to rss_bytes */
  parts: {
    part: "live" | "rounding" | "pinned" | "trim" | "kept" | "mapped" | "files" | "stacks" | "binaries" | "inmem" | "unknown";
    bytes: number;
  }[];
  /** in use in the allocator's heaps, but recorded nowhere; part of unknown */
  unrecorded: {
    blocks: number;
    bytes: number;
  };
  types: {
    type: string | null;
    bytes: number;
    untouched_bytes: number;
  }[];
  pins: {
    type: string | null;
    /** what reports call the blocks */
    name: string;
    holds_back_bytes: number;
    live_bytes: number;
    untouched_bytes: number;
    blocks: number;
    allocated_blocks: number | null;
    timed_blocks: number;
    mean_age_us: number | null;
    site: Site;
    caller?: SourceLocation;
  }[];
  owners: {
    part: string;
    name: string | null;
    bytes: number;
    deepest_bytes?: number;
    /** the call that mapped it (mmap=on) */
    site?: Site;
    /** the program's line that led to that call */
    caller?: SourceLocation;
  }[];
  remedies: {
    remedy: "trim" | "place" | "copy" | "no-huge-pages" | "decay";
    saves_bytes: number;
    measured_bytes: number | null;
    lines?: {
      type: string | null;
      /** what reports call the blocks */
      name: string;
      site: Site;
      caller?: SourceLocation;
    }[];
  }[];
}
