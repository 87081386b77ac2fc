// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The paths of two runs as one tree: a box is as wide as the larger of both.
import type { Side } from "./side";
import { type Paths, pathsOf, shapeOf, type Tip, type Wanted } from "./tree";

interface Function {
  side: Side;
  index: number;
}

/** Functions are the same by name and file, nodes by function and caller. Of both runs as a whole. */
export function twoPaths(old: Side, now: Side, wanted: Wanted): Paths {
  const functions: Function[] = [{ side: now, index: 0 }];
  const numbers = new Map<string, number>();
  const parent: number[] = [0];
  const fn: number[] = [0];
  const children: Map<number, number>[] = [new Map()];
  const nodesOf: [number[], number[]][] = [[[0], [0]]];
  const all = { ...wanted, range: null, type: null };
  const trees = [pathsOf(old, all), pathsOf(now, all)] as const;
  // The new run's functions are looked up first: their index is the page's.
  for (const which of [1, 0] as const) {
    const side = which === 0 ? old : now;
    const tree = trees[which];
    const function_ = Array.from(side.column("function.name"), (_, index) => {
      const key = `${side.functionName(index)}\n${side.functionFile(index)}`;
      let number = numbers.get(key);
      if (number === undefined) {
        number = index === 0 ? 0 : functions.length;
        if (index > 0) functions.push({ side, index });
        numbers.set(key, number);
      }
      return number;
    });
    const mine = new Uint32Array(tree.parent.length);
    for (let n = 1; n < mine.length; n++) {
      if (!(tree.all[n] > 0)) continue;
      const above = mine[tree.parent[n]];
      const of = function_[tree.fn[n]];
      let node = children[above].get(of);
      if (node === undefined) {
        node = parent.length;
        children[above].set(of, node);
        parent.push(above);
        fn.push(of);
        children.push(new Map());
        nodesOf.push([[], []]);
      }
      mine[n] = node;
      nodesOf[node][which].push(n);
    }
  }
  const count = parent.length;
  const sums = [new Float64Array(count), new Float64Array(count)];
  const tipsOf = (nodes: number[]): Tip[] => {
    const byName = new Map<string, Tip>();
    for (const which of [1, 0] as const) {
      const from = nodes.flatMap((n) => nodesOf[n][which]);
      for (const tip of trees[which].tips(from)) {
        let known = byName.get(tip.name);
        if (!known) {
          known = { ...tip, type: which === 1 ? tip.type : null, two: { old: 0, now: 0 } };
          known.kind = which === 1 ? tip.kind : 1e6 + tip.kind;
          byName.set(tip.name, known);
        }
        known.two![which === 0 ? "old" : "now"] += tip.value;
        known.value = Math.max(known.two!.old, known.two!.now);
      }
    }
    return [...byName.values()].sort((a, b) => b.value - a.value);
  };
  const self = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    for (const which of [0, 1]) for (const m of nodesOf[n][which]) sums[which][n] += trees[which].self[m];
    self[n] = Math.max(sums[0][n], sums[1][n]);
  }
  // A node whose blocks changed their type is as wide as all of them.
  if (wanted.types)
    for (let n = 0; n < count; n++) if (sums[0][n] + sums[1][n] > 0) self[n] = Math.max(self[n], sum(tipsOf([n])));
  const whole = self.slice();
  for (let n = count - 1; n > 0; n--) {
    whole[parent[n]] += whole[n];
    for (const which of [0, 1]) sums[which][parent[n]] += sums[which][n];
  }
  const ask =
    <T>(of: (side: Side, index: number) => T) =>
    (f: number) =>
      of(functions[f].side, functions[f].index);
  return {
    parent: Uint32Array.from(parent),
    fn: Uint32Array.from(fn),
    self,
    all: whole,
    name: ask((side, index) => side.functionShort(index)),
    full: ask((side, index) => side.functionName(index)),
    place: ask((side, index) => side.functionPlace(index)),
    module: ask((side, index) => side.moduleOf(index)),
    library: ask((side, index) => side.isLibraryFunction(index)),
    index: (f) => (functions[f].side === now ? functions[f].index : -1),
    tips: wanted.types ? tipsOf : () => [],
    two: (node) => ({ old: sums[0][node], now: sums[1][node] }),
    children: shapeOf(Uint32Array.from(parent)),
  };
}

const sum = (tips: Tip[]) => tips.reduce((total, tip) => total + tip.value, 0);
