// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of paths as pictures need it: boxes that are wide enough to be seen, callers
// first or callees first, with the type on top.
import type { Figure, Range, Side } from "./side";

export interface Box {
  /** Identifies it in a link: names from the root, by number. */
  key: string;
  name: string;
  /** The whole of the name. */
  full: string;
  place: string;
  depth: number;
  x: number;
  width: number;
  value: number;
  self: number;
  /** A type rather than a function. */
  type: number | null;
  /** Index into Side::functionName, or -1. */
  function: number;
  root: boolean;
  /** Groups boxes by colour; empty: none. */
  module: string;
  /** Code of a library. */
  library: boolean;
  /** Number of further library frames in this box. */
  folded: number;
  /** The values of two runs that are compared. */
  two?: { old: number; now: number };
}

export interface View {
  boxes: Box[];
  total: number;
  depth: number;
}

/** Samples of threads are of the whole run, and of no type. */
export type Measure = Figure | "samples";

export interface Wanted {
  range: Range | null;
  figure: Measure;
  type: number | null;
  /** Boxes for types on top. */
  types: boolean;
  /** The key of the box that is the whole picture; empty: the root. */
  zoom: string;
  /** No boxes narrower than this share of the picture. */
  least: number;
  /** A call into a library is one box, up to calls back into the program. */
  fold?: boolean;
  /** Nodes of calls into libraries that are drawn whole all the same. */
  unfolded?: ReadonlySet<number>;
}

/** Names of the blocks that were made at a node. */
export interface Tip {
  kind: number;
  name: string;
  full: string;
  type: number | null;
  value: number;
  two?: { old: number; now: number };
}

/** A tree of paths with a figure at each node; node 0 is the root, and parents come before children. */
export interface Paths {
  parent: Uint32Array;
  /** By node: its function, which the members below describe. */
  fn: Uint32Array;
  self: Float64Array;
  all: Float64Array;
  name: (fn: number) => string;
  full: (fn: number) => string;
  place: (fn: number) => string;
  module: (fn: number) => string;
  library: (fn: number) => boolean;
  /** Index into Side::functionName. */
  index: (fn: number) => number;
  /** Blocks that were made at one of some nodes, most first. */
  tips: (nodes: number[]) => Tip[];
  /** The sums of a node in two runs that are compared. */
  two?: (node: number) => { old: number; now: number };
  children: Shape;
}

export interface Shape {
  first: Uint32Array;
  child: Uint32Array;
}

/** Levels that a picture has at most; zooming continues from there. */
const deepest = 400;

/** Children of each node. */
export function shapeOf(parent: Uint32Array): Shape {
  const first = new Uint32Array(parent.length + 1);
  for (let n = 1; n < parent.length; n++) first[parent[n] + 1]++;
  for (let n = 0; n < parent.length; n++) first[n + 1] += first[n];
  const next = first.slice();
  const child = new Uint32Array(Math.max(parent.length - 1, 0));
  for (let n = 1; n < parent.length; n++) child[next[parent[n]]++] = n;
  return { first, child };
}
const shape = (side: Side): Shape => side.once("shape", () => shapeOf(side.nodeParent));

/** Rows by node. */
function rowsAt(side: Side): Shape {
  return side.once("rowsAt", () => {
    const first = new Uint32Array(side.nodeParent.length + 1);
    for (const node of side.rowNode) first[node + 1]++;
    for (let n = 0; n + 1 < first.length; n++) first[n + 1] += first[n];
    const next = first.slice();
    const child = new Uint32Array(side.rows);
    side.rowNode.forEach((node, row) => {
      child[next[node]++] = row;
    });
    return { first, child };
  });
}

interface Values {
  self: Float64Array;
  all: Float64Array;
}

export function values(side: Side, wanted: Pick<Wanted, "range" | "figure" | "type">): Values {
  const { range, figure, type } = wanted;
  return side.recent(`values ${range?.from}-${range?.to} ${figure} ${type}`, () => {
    const self = new Float64Array(side.nodeParent.length);
    if (figure === "samples") {
      self.set(side.column("node.samples"));
    } else {
      const rows = side.rowSums(range)[figure];
      const typeOf = side.rowType();
      for (let r = 0; r < rows.length; r++)
        if (rows[r] > 0 && (type === null || typeOf[r] === type)) self[side.rowNode[r]] += rows[r];
    }
    const all = self.slice();
    for (let n = all.length - 1; n > 0; n--) all[side.nodeParent[n]] += all[n];
    return { self, all };
  });
}

const box = (
  side: Side,
  fn: number,
  rest: Pick<Box, "key" | "depth" | "x" | "width" | "value" | "self"> & Partial<Box>,
): Box => ({
  name: side.functionShort(fn) || "(unknown)",
  full: side.functionName(fn),
  place: side.functionPlace(fn),
  type: null,
  function: fn,
  root: false,
  module: side.moduleOf(fn),
  library: side.isLibraryFunction(fn),
  folded: 0,
  ...rest,
});

const rootBox = (value: number): Box => ({
  key: "",
  name: "all",
  full: "all",
  place: "",
  depth: 0,
  x: 0,
  width: 1,
  value,
  self: 0,
  type: null,
  function: -1,
  root: true,
  module: "",
  library: false,
  folded: 0,
});

/** Boxes that a browser lays out at the same time; with more, the narrowest are left out. */
const mostBoxes = 1200;

/** The tree of one run. */
export function pathsOf(side: Side, wanted: Wanted): Paths {
  const { self, all } = values(side, wanted);
  const rows = wanted.types && wanted.figure !== "samples" ? side.rowSums(wanted.range)[wanted.figure] : null;
  const tips = (nodes: number[]): Tip[] => {
    if (!rows) return [];
    const list = rowsAt(side);
    const byKind = new Map<number, number>();
    const kindOf = side.rowKind();
    for (const node of nodes)
      for (let i = list.first[node]; i < list.first[node + 1]; i++) {
        const row = list.child[i];
        const kind = kindOf[row];
        if (rows[row] > 0 && (wanted.type === null || wanted.type === side.kinds[kind].type))
          byKind.set(kind, (byKind.get(kind) ?? 0) + rows[row]);
      }
    return [...byKind]
      .sort((a, b) => b[1] - a[1])
      .map(([kind, value]) => {
        const { name, type } = side.kinds[kind];
        return { kind, name, full: side.kindText(kind), type, value };
      });
  };
  return {
    parent: side.nodeParent,
    fn: side.nodeFunction,
    self,
    all,
    name: (fn) => side.functionShort(fn),
    full: (fn) => side.functionName(fn),
    place: (fn) => side.functionPlace(fn),
    module: (fn) => side.moduleOf(fn),
    library: (fn) => side.isLibraryFunction(fn),
    index: (fn) => fn,
    tips,
    children: shape(side),
  };
}

/** Callers first. A key is `n` and the number of a node. */
export function topDown(paths: Paths, wanted: Wanted): View {
  let view = drawTopDown(paths, wanted);
  for (let least = wanted.least * 2; view.boxes.length > mostBoxes; least *= 2)
    view = drawTopDown(paths, { ...wanted, least });
  return view;
}

/** A node's library frames as one box: those frames, and the first of the program's own below. */
function foldedBelow(paths: Paths, node: number): { frames: number[]; children: number[] } {
  const { first, child } = paths.children;
  const frames = [node];
  const children: number[] = [];
  for (let at = 0; at < frames.length; at++)
    for (let i = first[frames[at]]; i < first[frames[at] + 1]; i++)
      (paths.library(paths.fn[child[i]]) ? frames : children).push(child[i]);
  return { frames, children };
}

function drawTopDown(paths: Paths, wanted: Wanted): View {
  const { self, all, parent, fn } = paths;
  const { first, child } = paths.children;
  const boxes: Box[] = [];
  const zoom = wanted.zoom.startsWith("n") ? Number(wanted.zoom.slice(1)) : 0;
  const start = zoom > 0 && zoom < all.length ? zoom : 0;
  const total = all[start];
  let depth = 0;
  const isLibrary = (node: number) => node !== 0 && paths.library(fn[node]);
  const twoOf = (node: number) => (paths.two ? { two: paths.two(node) } : {});
  const nodeBox = (node: number, rest: Pick<Box, "depth" | "x" | "width"> & Partial<Box>): Box => {
    const shared = { value: all[node], self: self[node], ...twoOf(node), ...rest };
    return node === 0
      ? { ...rootBox(all[0]), ...shared, key: "" }
      : {
          key: `n${node}`,
          name: paths.name(fn[node]) || "(unknown)",
          full: paths.full(fn[node]),
          place: paths.place(fn[node]),
          type: null,
          function: paths.index(fn[node]),
          root: false,
          module: paths.module(fn[node]),
          library: isLibrary(node),
          folded: 0,
          ...shared,
        };
  };
  const draw = (node: number, at: number, x: number, open: boolean) => {
    const width = total > 0 ? all[node] / total : 0;
    if (width < wanted.least || at > deepest) return;
    depth = Math.max(depth, at);
    const whole = open || !wanted.fold || !isLibrary(node) || (wanted.unfolded?.has(node) ?? false);
    const below = whole
      ? { frames: [node], children: Array.from(child.subarray(first[node], first[node + 1])) }
      : foldedBelow(paths, node);
    const own = below.frames.length > 1 ? below.frames.reduce((sum, n) => sum + self[n], 0) : self[node];
    boxes.push(nodeBox(node, { depth: at, x, width, self: own, folded: below.frames.length - 1 }));
    const children = below.children.filter((c) => all[c] / total >= wanted.least);
    children.sort((a, b) => all[b] - all[a]);
    let next = x;
    for (const c of children) {
      draw(c, at + 1, next, whole && isLibrary(node) && isLibrary(c));
      next += all[c] / total;
    }
    if (own / total >= wanted.least) tipsOf(node, below.frames, at + 1, next);
  };
  const tipsOf = (node: number, frames: number[], at: number, x: number) => {
    let next = x;
    for (const tip of paths.tips(frames)) {
      const width = tip.value / total;
      if (width < wanted.least) continue;
      boxes.push({
        key: `n${node}t${tip.kind}`,
        name: tip.name,
        full: tip.full,
        place: "",
        depth: at,
        x: next,
        width,
        value: tip.value,
        self: tip.value,
        type: tip.type,
        function: -1,
        root: false,
        module: "",
        library: false,
        folded: 0,
        ...(tip.two ? { two: tip.two } : {}),
      });
      next += width;
      depth = Math.max(depth, at);
    }
  };
  // Nodes above the zoomed one take the whole width, so that one can go back.
  let level = 0;
  if (start !== 0) {
    const path: number[] = [];
    for (let n = parent[start]; n !== 0; n = parent[n])
      if (!wanted.fold || !isLibrary(n) || !isLibrary(parent[n])) path.unshift(n);
    boxes.push(nodeBox(0, { depth: 0, x: 0, width: 1 }));
    for (const n of path) boxes.push(nodeBox(n, { depth: ++level, x: 0, width: 1, root: true }));
    level++;
  }
  draw(start, level, 0, start !== 0 && isLibrary(start) && isLibrary(parent[start]));
  return { boxes, total: all[0], depth: depth + 1 };
}

/** The blocks of a type that go by one name. */
const kindBox = (
  side: Side,
  kind: number,
  rest: Pick<Box, "key" | "depth" | "x" | "width" | "value" | "self">,
): Box => ({
  name: side.kinds[kind].name,
  full: side.kindText(kind),
  place: "",
  type: side.kinds[kind].type,
  function: -1,
  root: false,
  module: "",
  library: false,
  folded: 0,
  ...rest,
});

/** Nodes, and what each of them has. */
interface Entries {
  nodes: Uint32Array;
  value: Float64Array;
}

interface Group extends Entries {
  name: number; // function, or -1 - row of kinds
  sum: number;
}

/** Groups entries by the number that `of` gives, most first, without those below `least`. `slots` is -1 for each
 * number there may be, and is so again afterwards: a table, since there may be a million entries. */
function groupBy(
  { nodes, value }: Entries,
  of: (i: number) => number,
  nameOf: (number: number) => number,
  least: number,
  slots: Int32Array,
): Group[] {
  const numbers: number[] = [];
  const sums: number[] = [];
  const counts: number[] = [];
  const at = new Int32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    const number = of(i);
    let s = slots[number];
    if (s < 0) {
      s = slots[number] = sums.length;
      numbers.push(number);
      sums.push(0);
      counts.push(0);
    }
    sums[s] += value[i];
    counts[s]++;
    at[i] = s;
  }
  for (const number of numbers) slots[number] = -1;
  const groups: (Group | null)[] = numbers.map((number, s) =>
    sums[s] >= least && sums[s] > 0
      ? { name: nameOf(number), nodes: new Uint32Array(counts[s]), value: new Float64Array(counts[s]), sum: sums[s] }
      : null,
  );
  const next = new Uint32Array(groups.length);
  for (let i = 0; i < nodes.length; i++) {
    const g = groups[at[i]];
    if (!g) continue;
    const to = next[at[i]]++;
    g.nodes[to] = nodes[i];
    g.value[to] = value[i];
  }
  return groups.filter((g): g is Group => g !== null).sort((a, b) => b.sum - a.sum);
}

/** By node: itself, if it is the program's own code, or its nearest caller that is; itself if there is none. */
function ownCode(side: Side): Uint32Array {
  return side.once("ownCode", () => {
    const out = new Uint32Array(side.nodeParent.length);
    for (let n = 1; n < out.length; n++) {
      const above = side.nodeParent[n];
      const isOwn = !side.isLibraryFunction(side.nodeFunction[n]);
      out[n] = isOwn || above === 0 || side.isLibraryFunction(side.nodeFunction[out[above]]) ? n : out[above];
    }
    return out;
  });
}

/** Entries where blocks were allocated: one for each node and name of blocks. */
function leaves(side: Side, wanted: Wanted): Entries & { kinds?: Uint32Array } {
  const { range, figure, type, fold } = wanted;
  const at = fold ? ownCode(side) : null;
  return side.recent(`leaves ${range?.from}-${range?.to} ${figure} ${type} ${fold}`, () => {
    if (figure === "samples") {
      const samples = side.column("node.samples");
      const nodes = Uint32Array.from(samples.keys()).filter((n) => n > 0 && samples[n] > 0);
      return { nodes: at ? nodes.map((n) => at[n]) : nodes, value: Float64Array.from(nodes, (n) => samples[n]) };
    }
    const rows = side.rowSums(range)[figure];
    const typeOf = side.rowType();
    const kindOf = side.rowKind();
    const nodes = new Uint32Array(rows.length);
    const value = new Float64Array(rows.length);
    const kinds = new Uint32Array(rows.length);
    let count = 0;
    for (let r = 0; r < rows.length; r++) {
      if (!(rows[r] > 0) || (type !== null && typeOf[r] !== type)) continue;
      nodes[count] = at ? at[side.rowNode[r]] : side.rowNode[r];
      value[count] = rows[r];
      kinds[count++] = kindOf[r];
    }
    return { nodes: nodes.subarray(0, count), value: value.subarray(0, count), kinds: kinds.subarray(0, count) };
  });
}

/** Callees first: the type, the allocating function, its callers. Keys are names from the
 * root, `t` blocks by name and `f` function. `levels`: at most. */
export function bottomUp(side: Side, wanted: Wanted, levels = Number.POSITIVE_INFINITY, only = -1): View {
  const entries = leaves(side, wanted);
  let total = 0;
  for (const v of entries.value) total += v;
  const path = wanted.zoom ? wanted.zoom.split(".").filter(Boolean) : [];
  const boxes: Box[] = [];
  let depth = 0;
  const boxOf = (g: Group, rest: Pick<Box, "key" | "depth" | "x" | "width" | "value" | "self"> & Partial<Box>): Box =>
    g.name < 0 ? { ...kindBox(side, -1 - g.name, rest), root: rest.root ?? false } : box(side, g.name, rest);
  let base = total;
  const slots = side.once("slots", () =>
    new Int32Array(Math.max(side.kinds.length, side.column("function.name").length)).fill(-1),
  );
  const groupsOf = (of: Entries, level: number, least: number, kinds?: Uint32Array): Group[] => {
    if (kinds && wanted.types && level === 0)
      return groupBy(
        of,
        (i) => kinds[i],
        (k) => -1 - k,
        least,
        slots,
      );
    return groupBy(
      of,
      (i) => side.nodeFunction[of.nodes[i]],
      (f) => f,
      least,
      slots,
    );
  };
  const own = wanted.fold ? ownCode(side) : null;
  /** Each group's nodes go to their callers, once the group is named by a function. */
  const inner = (g: Group): Entries => {
    if (g.name < 0) return g;
    const nodes = new Uint32Array(g.nodes.length);
    let count = 0;
    const value = new Float64Array(g.nodes.length);
    for (let i = 0; i < g.nodes.length; i++) {
      const parent = side.nodeParent[g.nodes[i]];
      if (parent === 0) continue;
      nodes[count] = own ? own[parent] : parent;
      value[count++] = g.value[i];
    }
    return { nodes: nodes.subarray(0, count), value: value.subarray(0, count) };
  };
  const draw = (of: Entries, level: number, x: number, prefix: string, kinds?: Uint32Array) => {
    if (level >= Math.min(levels, deepest) || of.nodes.length === 0) return;
    let next = x;
    const shown = path[level];
    for (const g of groupsOf(of, level, shown ? 0 : base * wanted.least, kinds)) {
      const own = g.name < 0 ? `t${-1 - g.name}` : `f${g.name}`;
      const key = prefix ? `${prefix}.${own}` : own;
      if (shown !== undefined) {
        if (own !== shown) continue;
        base = g.sum;
        boxes.push(
          boxOf(g, { key, depth: level + 1, x: 0, width: 1, value: g.sum, self: 0, root: level + 1 < path.length }),
        );
      } else {
        boxes.push(boxOf(g, { key, depth: level + 1, x: next, width: g.sum / base, value: g.sum, self: 0 }));
      }
      depth = Math.max(depth, level + 1);
      draw(inner(g), level + 1, shown !== undefined ? 0 : next, key);
      next += g.sum / base;
    }
  };
  boxes.push(rootBox(total));
  if (only >= 0) {
    const calls = callsOf(side, wanted, only);
    total = base = calls.sum;
    boxes[0] = box(side, only, { key: "", depth: 0, x: 0, width: 1, value: total, self: 0, root: true });
    draw({ nodes: calls.callers, value: calls.value }, 0, 0, "");
  } else {
    draw(entries, 0, 0, "", entries.kinds);
  }
  return { boxes, total, depth: depth + 1 };
}

/** The outermost nodes of a function with all below them, and their callers. */
function callsOf(side: Side, wanted: Wanted, fn: number) {
  const { all } = values(side, wanted);
  const again = repeated(side);
  const nodes: number[] = [];
  let sum = 0;
  for (let n = 1; n < side.nodeFunction.length; n++)
    if (side.nodeFunction[n] === fn && !again[n] && all[n] > 0) {
      nodes.push(n);
      sum += all[n];
    }
  const called = nodes.filter((n) => side.nodeParent[n] !== 0);
  return {
    nodes,
    sum,
    callers: Uint32Array.from(called, (n) => side.nodeParent[n]),
    value: Float64Array.from(called, (n) => all[n]),
  };
}

/** Callees of one function, all its calls together. */
export function calleesOf(side: Side, wanted: Wanted, fn: number): View {
  const { all, self } = values(side, wanted);
  const { first, child } = shape(side);
  const calls = callsOf(side, wanted, fn);
  const boxes: Box[] = [];
  let depth = 0;
  const draw = (nodes: number[], name: number, at: number, x: number, prefix: string) => {
    let sum = 0;
    let own = 0;
    for (const n of nodes) {
      sum += all[n];
      own += self[n];
    }
    const width = calls.sum > 0 ? sum / calls.sum : 0;
    if (width < wanted.least || at > deepest) return 0;
    depth = Math.max(depth, at);
    const key = prefix ? `${prefix}.f${name}` : `f${name}`;
    boxes.push(box(side, name, { key, depth: at, x, width, value: sum, self: own, root: at === 0 }));
    const below = new Map<number, number[]>();
    for (const n of nodes)
      for (let i = first[n]; i < first[n + 1]; i++) {
        const c = child[i];
        if (all[c] <= 0) continue;
        const same = below.get(side.nodeFunction[c]);
        if (same) same.push(c);
        else below.set(side.nodeFunction[c], [c]);
      }
    const order = [...below].map(([f, list]) => ({ f, list, sum: list.reduce((s, n) => s + all[n], 0) }));
    order.sort((a, b) => b.sum - a.sum);
    let next = x;
    for (const each of order) next += draw(each.list, each.f, at + 1, next, key);
    return width;
  };
  draw(calls.nodes, fn, 0, 0, "");
  return { boxes, total: calls.sum, depth: depth + 1 };
}

/** Nodes below another of the same function. */
function repeated(side: Side): Uint8Array {
  return side.once("repeated", () => {
    const { first, child } = shape(side);
    const out = new Uint8Array(side.nodeParent.length);
    let most = 0;
    for (const f of side.nodeFunction) most = Math.max(most, f);
    const open = new Uint32Array(most + 1);
    const stack = [0];
    const next = first.slice(0, -1);
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      if (next[node] < first[node + 1]) {
        const c = child[next[node]++];
        out[c] = open[side.nodeFunction[c]] > 0 ? 1 : 0;
        open[side.nodeFunction[c]]++;
        stack.push(c);
      } else {
        if (node !== 0) open[side.nodeFunction[node]]--;
        stack.pop();
      }
    }
    return out;
  });
}

/** Sums of each function: its own, and with all that it called. */
export function functionSums(side: Side, wanted: Pick<Wanted, "range" | "figure" | "type">) {
  return side.recent(`functions ${wanted.range?.from}-${wanted.range?.to} ${wanted.figure} ${wanted.type}`, () => {
    const { self, all } = values(side, wanted);
    const again = repeated(side);
    const count = side.column("function.name").length;
    const own = new Float64Array(count);
    const below = new Float64Array(count);
    for (let n = 1; n < self.length; n++) {
      own[side.nodeFunction[n]] += self[n];
      if (!again[n]) below[side.nodeFunction[n]] += all[n];
    }
    return { self: own, total: below, all: all[0] };
  });
}

/** The functions on the way to a node, outermost first. */
export function pathOf(side: Side, node: number): number[] {
  const out: number[] = [];
  for (let n = node; n !== 0; n = side.nodeParent[n]) out.unshift(side.nodeFunction[n]);
  return out;
}
