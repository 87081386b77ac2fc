// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dominator tree of a heap snapshot, by name of blocks, as boxes.
import type { Box, View } from "./tree";
import type { HeapSnapshot } from "./types";

/** Bytes that each node retains: its own and all below it. */
export function retained(holders: HeapSnapshot["holders"]): Float64Array {
  const out = Float64Array.from(holders.bytes);
  for (let n = out.length - 1; n > 0; n--) out[holders.parent[n]] += out[n];
  return out;
}

/** Names of the types of the snapshot, as the report has them. */
export function namesOf(heap: HeapSnapshot): (type: string | null) => string {
  const names = new Map(Object.entries(heap.aliases));
  return (type) => (type === null ? "(unknown type)" : (names.get(type) ?? type));
}

/** No boxes narrower than `least` of the picture; `zoom`: the node that is all of it. */
export function holdersView(heap: HeapSnapshot, zoom: number, least: number): View {
  const { holders } = heap;
  const all = retained(holders);
  const start = zoom > 0 && zoom < all.length ? zoom : 0;
  const children: number[][] = all.length > 0 ? Array.from(all, () => []) : [[]];
  for (let n = 1; n < all.length; n++) children[holders.parent[n]].push(n);
  const boxes: Box[] = [];
  const boxOf = (n: number, depth: number, x: number, width: number, root: boolean): Box => ({
    key: n === 0 ? "" : String(n),
    name: n === 0 ? "all" : holders.name[n],
    full: n === 0 ? "all objects" : `${holders.objects[n]} of ${holders.name[n]}`,
    place: "",
    depth,
    x,
    width,
    value: all[n] ?? 0,
    self: holders.bytes[n] ?? 0,
    type: null,
    function: n - 1,
    root,
    module: n === 0 ? "" : holders.name[n],
    library: false,
    folded: 0,
  });
  let deepest = 0;
  // Nodes above the zoomed one take the whole width.
  const path: number[] = [];
  for (let n = start; n !== 0; n = holders.parent[n]) path.unshift(holders.parent[n]);
  for (const n of path) boxes.push(boxOf(n, boxes.length, 0, 1, true));
  const draw = (n: number, depth: number, x: number) => {
    const width = all[start] > 0 ? all[n] / all[start] : 0;
    if (width < least) return;
    deepest = Math.max(deepest, depth);
    boxes.push(boxOf(n, depth, x, width, n === 0));
    let next = x;
    for (const c of children[n].sort((a, b) => all[b] - all[a])) {
      draw(c, depth + 1, next);
      next += all[c] / all[start];
    }
  };
  draw(start, path.length, 0);
  return { boxes, total: all[0] ?? 0, depth: deepest + 1 };
}
