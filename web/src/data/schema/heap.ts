// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by scripts/lint --fix from docs/schema/inmem-heap-1.json.

export type Site = SourceLocation | null;

export interface SourceLocation {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
}

export interface HeapReport {
  schema: "inmem-heap/1";
  process: {
    pid: number;
    taken_unix_ns: number;
    pause_ns: number;
  };
  totals: {
    objects: number;
    bytes: number;
    edges: number;
    reachable_bytes: number;
    unreachable_bytes: number | null;
  };
  /** why the snapshot is not whole; empty: it is */
  partial: string[];
  types: {
    type: string | null;
    objects: number;
    bytes: number;
    retained_bytes: number;
  }[];
  /** as types, by what reports call the blocks: char that strings hold is std::string buffer */
  kinds: {
    name: string;
    objects: number;
    bytes: number;
    retained_bytes: number;
  }[];
  leaks: {
    type: string | null;
    /** what reports call the blocks */
    name: string;
    objects: number;
    bytes: number;
    retained_bytes: number;
    verdict: string;
    age_ns: number | null;
    site: Site;
    caller?: SourceLocation;
  }[];
  duplicates: {
    type: string | null;
    /** what reports call the blocks */
    name: string;
    bytes_each: number;
    copies: number;
    contents: number;
    wasted_bytes: number;
    site: Site;
    caller?: SourceLocation;
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
  padding: {
    type: string | null;
    bytes_each: number;
    objects: number;
    bytes: number;
    /** fields without the padding */
    order: string[];
  }[];
  collections: {
    owner: string | null;
    field: string | null;
    container: string | null;
    elements: number;
    retained_bytes: number;
  }[];
  roots: {
    kind: "global" | "stack" | "thread_local" | "register";
    where: string | null;
    objects: number;
    retained_bytes: number;
    only_from_here_bytes: number;
  }[];
  largest: {
    type: string | null;
    /** what reports call the blocks */
    name: string;
    address: number;
    bytes: number;
    retained_bytes: number;
    path: string;
    site: Site;
    caller?: SourceLocation;
  }[];
}
