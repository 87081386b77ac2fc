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
}

interface Shape {
  first: Uint32Array;
  child: Uint32Array;
}

/** Levels that a picture has at most; zooming continues from there. */
const deepest = 400;

/** Children of each node. */
function shape(side: Side): Shape {
  return side.once("shape", () => {
    const parent = side.nodeParent;
    const first = new Uint32Array(parent.length + 1);
    for (let n = 1; n < parent.length; n++) first[parent[n] + 1]++;
    for (let n = 0; n < parent.length; n++) first[n + 1] += first[n];
    const next = first.slice();
    const child = new Uint32Array(Math.max(parent.length - 1, 0));
    for (let n = 1; n < parent.length; n++) child[next[parent[n]]++] = n;
    return { first, child };
  });
}

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
});

/** Boxes that a browser lays out at the same time; with more, the narrowest are left out. */
const mostBoxes = 1200;

/** Callers first. A key is `n` and the number of a node. */
export function topDown(side: Side, wanted: Wanted): View {
  let view = drawTopDown(side, wanted);
  for (let least = wanted.least * 2; view.boxes.length > mostBoxes; least *= 2)
    view = drawTopDown(side, { ...wanted, least });
  return view;
}

function drawTopDown(side: Side, wanted: Wanted): View {
  const { self, all } = values(side, wanted);
  const { first, child } = shape(side);
  const boxes: Box[] = [];
  const zoom = wanted.zoom.startsWith("n") ? Number(wanted.zoom.slice(1)) : 0;
  const start = zoom > 0 && zoom < all.length ? zoom : 0;
  const total = all[start];
  let depth = 0;
  const path: number[] = [];
  for (let n = start; n !== 0; n = side.nodeParent[n]) path.unshift(n);
  // Nodes above the zoomed one take the whole width, so that one can go back.
  const rows = wanted.types && wanted.figure !== "samples" ? side.rowSums(wanted.range)[wanted.figure] : null;
  const draw = (node: number, at: number, x: number) => {
    const width = total > 0 ? all[node] / total : 0;
    if (width < wanted.least || at > deepest) return;
    depth = Math.max(depth, at);
    const outer = { depth: at, x, width, value: all[node], self: self[node] };
    boxes.push(
      node === 0
        ? { ...rootBox(all[0]), ...outer, key: "" }
        : box(side, side.nodeFunction[node], { ...outer, key: `n${node}` }),
    );
    const children: number[] = [];
    for (let i = first[node]; i < first[node + 1]; i++)
      if (all[child[i]] / total >= wanted.least) children.push(child[i]);
    children.sort((a, b) => all[b] - all[a]);
    let next = x;
    for (const c of children) {
      draw(c, at + 1, next);
      next += all[c] / total;
    }
    if (rows && self[node] / total >= wanted.least) depth = Math.max(depth, typesAt(node, at + 1, next, rows));
  };
  const typesAt = (node: number, at: number, x: number, value: Float64Array): number => {
    const list = rowsAt(side);
    const byKind = new Map<number, number>();
    const kindOf = side.rowKind();
    for (let i = list.first[node]; i < list.first[node + 1]; i++) {
      const row = list.child[i];
      const kind = kindOf[row];
      if (value[row] > 0 && (wanted.type === null || wanted.type === side.kinds[kind].type))
        byKind.set(kind, (byKind.get(kind) ?? 0) + value[row]);
    }
    let next = x;
    let seen = 0;
    for (const [kind, sum] of [...byKind].sort((a, b) => b[1] - a[1])) {
      const width = sum / total;
      if (width < wanted.least) continue;
      boxes.push(kindBox(side, kind, { key: `n${node}t${kind}`, depth: at, x: next, width, value: sum, self: sum }));
      next += width;
      seen = at;
    }
    return seen;
  };
  let level = 0;
  if (start !== 0) {
    boxes.push({ ...rootBox(all[0]), key: "" });
    for (const n of path.slice(0, -1))
      boxes.push(
        box(side, side.nodeFunction[n], {
          key: `n${n}`,
          depth: ++level,
          x: 0,
          width: 1,
          value: all[n],
          self: self[n],
          root: true,
        }),
      );
    level++;
  }
  draw(start, level, 0);
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

/** Entries where blocks were allocated: one for each node and name of blocks. */
function leaves(side: Side, wanted: Wanted): Entries & { kinds?: Uint32Array } {
  const { range, figure, type } = wanted;
  return side.recent(`leaves ${range?.from}-${range?.to} ${figure} ${type}`, () => {
    if (figure === "samples") {
      const samples = side.column("node.samples");
      const nodes = Uint32Array.from(samples.keys()).filter((n) => n > 0 && samples[n] > 0);
      return { nodes, value: Float64Array.from(nodes, (n) => samples[n]) };
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
      nodes[count] = side.rowNode[r];
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
  /** Each group's nodes go to their callers, once the group is named by a function. */
  const inner = (g: Group): Entries => {
    if (g.name < 0) return g;
    const nodes = new Uint32Array(g.nodes.length);
    let count = 0;
    const value = new Float64Array(g.nodes.length);
    for (let i = 0; i < g.nodes.length; i++) {
      const parent = side.nodeParent[g.nodes[i]];
      if (parent === 0) continue;
      nodes[count] = parent;
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
