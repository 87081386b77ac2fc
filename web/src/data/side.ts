// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One profile: its report and, in columns, rows (blocks of one site that came by one
// path), the tree of paths, and what each row did in each part of the run.

import { placeText } from "../format";
import type { Columns, Decoded } from "./decode";
import { modulesOf } from "./modules";
import { shortName } from "./names";
import type { Kind, Lifetime, Report, SideHead } from "./types";

/** Figures of rows, sites, types or nodes over a part of the run. */
export interface Sums {
  allocations: Float64Array;
  bytes: Float64Array;
  frees: Float64Array;
  freedBytes: Float64Array;
  live: Float64Array;
  liveBytes: Float64Array;
  /** Bytes alive when the part had most. */
  peakBytes: Float64Array;
  temporary: Float64Array;
  /** Lifetimes of freed blocks, added up. */
  lived: Float64Array;
}
export const figures = [
  "allocations",
  "bytes",
  "frees",
  "freedBytes",
  "live",
  "liveBytes",
  "peakBytes",
  "temporary",
  "lived",
] as const;
export type Figure = (typeof figures)[number];

/** Figures that are worked out when they are asked for: each costs a walk over all rows. */
function lazySums(make: (figure: Figure) => Float64Array): Sums {
  const out = {};
  for (const figure of figures) {
    let known: Float64Array | undefined;
    Object.defineProperty(out, figure, {
      get: () => {
        known ??= make(figure);
        return known;
      },
    });
  }
  return out as Sums;
}

/** From part `from` up to, not with, part `to`. */
export interface Range {
  from: number;
  to: number;
}

/** A row of types: all blocks of a type, or its blocks of one name. */
export interface TypeKind {
  type: number;
  /** null: the type as a whole. */
  kind: Kind | null;
  name: string;
}

export interface Site {
  function: string;
  file: string;
  line: number;
  column: number;
  kind: string;
  module: string;
  alias: string;
  type: number;
  p50: number | null;
}

const offsets = (counts: Float64Array): Uint32Array => {
  const out = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) out[i + 1] = out[i] + counts[i];
  return out;
};

const whole = (values: Float64Array): Uint32Array => Uint32Array.from(values);

export class Side {
  readonly head: SideHead;
  readonly report: Report;
  readonly rows: number;
  readonly sites: number;
  readonly types: number;
  readonly parts: number;
  /** Title of the bytes of sites: allocated, unless another tool did not count that. */
  readonly bytesTitle: string;
  /** Sums of the whole run, by row. */
  readonly total: Sums;
  readonly rowSite: Uint32Array;
  readonly rowNode: Uint32Array;
  readonly rowLine: Uint32Array;
  readonly siteType: Uint32Array;
  readonly nodeParent: Uint32Array;
  readonly nodeFunction: Uint32Array;
  /** Borders of parts in ns, one more than there are parts. */
  readonly borders: Float64Array;
  readonly cellAt: Uint32Array;
  readonly cellRow: Uint32Array;
  readonly cell: Record<"allocations" | "bytes" | "frees" | "freedBytes" | "live" | "liveBytes", Float64Array>;
  readonly lifeAt: Uint32Array;
  readonly threadAt: Uint32Array;
  private readonly columns: Columns;
  private readonly prefix: string;
  private readonly cache = new Map<string, unknown>();

  constructor(head: SideHead, columns: Columns, prefix: string) {
    this.head = head;
    this.report = head.report;
    this.columns = columns;
    this.prefix = prefix;
    this.types = head.report.types.length;
    this.bytesTitle = head.bytes_are;
    this.siteType = whole(this.column("site.type"));
    this.sites = this.siteType.length;
    this.rowSite = whole(this.column("row.site"));
    this.rowNode = whole(this.column("row.node"));
    this.rowLine = whole(this.column("row.line"));
    this.rows = this.rowSite.length;
    this.nodeParent = whole(this.column("node.parent"));
    this.nodeFunction = whole(this.column("node.function"));
    this.total = Object.fromEntries(figures.map((f) => [f, this.column(`row.${f}`)])) as unknown as Sums;
    const ends = head.time?.ends_ns ?? [];
    this.parts = ends.length;
    this.borders = Float64Array.from(head.time ? [head.time.begin_ns, ...ends] : []);
    this.cellAt = offsets(this.column("part.cells"));
    const step = whole(this.column("cell.row"));
    for (let p = 0; p < this.parts; p++)
      for (let i = this.cellAt[p] + 1; i < this.cellAt[p + 1]; i++) step[i] += step[i - 1];
    this.cellRow = step;
    const c = (name: string) => this.column(`cell.${name}`);
    const cell = {
      allocations: c("allocations"),
      bytes: c("bytes"),
      frees: c("frees"),
      freedBytes: c("freedBytes"),
      live: c("live"),
      liveBytes: c("liveBytes"),
    };
    // Written as what differs from allocations - frees: mostly nothing.
    for (let i = 0; i < step.length; i++) {
      cell.live[i] += cell.allocations[i] - cell.frees[i];
      cell.liveBytes[i] += cell.bytes[i] - cell.freedBytes[i];
    }
    this.cell = cell;
    this.lifeAt = offsets(this.column("part.lives"));
    this.threadAt = offsets(this.column("part.threads"));
  }

  column(name: string): Float64Array {
    return this.columns.get(this.prefix + name) ?? new Float64Array(0);
  }

  /** True if sites have that figure; bytes may be others than allocated (bytesTitle). */
  knows(figure: Figure): boolean {
    if (figure === "peakBytes") return this.report.totals.peak_live_bytes !== null;
    return figure === "bytes" || !this.head.unknown.includes(figure);
  }

  /** Figure of a type over the whole run, as the report has it; null: unknown. */
  typeFigure(type: number, figure: Figure): number | null {
    const row = this.report.types[type];
    switch (figure) {
      case "allocations":
        return row.allocations;
      case "frees":
        return row.frees;
      case "freedBytes":
        return row.freed_bytes;
      case "live":
        return row.live_allocations;
      case "liveBytes":
        return row.live_bytes;
      default:
        return null;
    }
  }

  /** Result of `make`, which is called once for each key. */
  once<T>(key: string, make: () => T): T {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key) as T;
  }

  text(index: number): string {
    return this.head.strings[index] ?? "";
  }

  typeName(type: number): string {
    return this.head.aliases[type] || this.report.types[type]?.type || "(unknown type)";
  }

  /** A class of counted objects; blocks of its type may go by another name. */
  className(type: number): string {
    return this.head.classes[type] || this.typeName(type);
  }
  /** Name of a site's blocks, as in text. */
  siteBlocks(index: number): string {
    return this.text(this.column("site.alias")[index]) || this.typeName(this.siteType[index]);
  }
  /** Rows of types: one for each name that blocks of a type go by. */
  get kinds(): TypeKind[] {
    return this.kindTable.kinds;
  }
  private get kindTable(): { kinds: TypeKind[]; ofSite: Uint32Array } {
    return this.once("kinds", () => {
      const kinds: TypeKind[] = [];
      const first: number[] = [];
      this.report.types.forEach((row, type) => {
        first.push(kinds.length);
        if (row.kinds) for (const kind of row.kinds) kinds.push({ type, kind, name: kind.name });
        else kinds.push({ type, kind: null, name: this.typeName(type) });
      });
      const ofSite = this.siteType.map((type, site) => {
        const of = this.report.types[type]?.kinds?.findIndex((kind) => kind.name === this.siteBlocks(site)) ?? 0;
        return first[type] + Math.max(of, 0);
      });
      return { kinds, ofSite };
    });
  }
  /** The row of `kinds` of each row. */
  rowKind(): Uint32Array {
    return this.once("rowKind", () => this.rowSite.map((site) => this.kindTable.ofSite[site]));
  }
  kindSums(range: Range | null): Sums {
    return this.group(range, this.kinds.length, this.rowKind(), "kinds");
  }
  /** Bytes alive at each border, by row of `kinds`. */
  liveAtByKind(): Float64Array[] {
    return this.once("liveAtByKind", () => this.liveAtBy(this.kinds.length, this.rowKind()));
  }
  /** Full name of a row of `kinds`. */
  kindText(row: number): string {
    const { type, kind, name } = this.kinds[row];
    return kind ? name : (this.report.types[type].type ?? name);
  }
  /** Freed blocks by class of lifetime, by row of `kinds`; in a part of the run by whole types alone. */
  kindLives(range: Range | null, row: number): Float64Array | undefined {
    const { type, kind } = this.kinds[row];
    if (!kind) return this.lives(range).get(type);
    if (range && this.parts > 0) return undefined;
    return this.once(`lives of kind ${row}`, () => this.classesOf(kind.lifetime));
  }

  private readonly siteTexts = ["function", "file", "kind", "module", "alias"] as const;
  site(index: number): Site {
    const at = (name: string) => this.column(`site.${name}`)[index];
    const texts = Object.fromEntries(this.siteTexts.map((n) => [n, this.text(at(n))]));
    return {
      ...(texts as Record<(typeof this.siteTexts)[number], string>),
      line: at("line"),
      column: at("column"),
      type: this.siteType[index],
      p50: at("p50") > 0 ? at("p50") - 1 : null,
    };
  }

  siteFunction(index: number): string {
    return this.text(this.column("site.function")[index]);
  }
  siteFile(index: number): string {
    return this.text(this.column("site.file")[index]);
  }
  siteLine(index: number): number {
    return this.column("site.line")[index];
  }
  sitePlace(index: number): string {
    const file = this.siteFile(index);
    const line = this.siteLine(index);
    if (!file) return this.text(this.column("site.module")[index]).replace(/.*\//, "");
    return placeText(file, line);
  }
  /** As it is, for searches, titles and files. */
  functionName(index: number): string {
    return this.text(this.column("function.name")[index]);
  }
  functionShort(index: number): string {
    return shortName(this.functionName(index));
  }
  siteShort(index: number): string {
    return shortName(this.siteFunction(index));
  }
  functionFile(index: number): string {
    return this.text(this.column("function.file")[index]);
  }
  functionPlace(index: number): string {
    const file = this.functionFile(index);
    return file
      ? placeText(file, this.column("function.line")[index])
      : this.text(this.column("function.module")[index]);
  }

  /** True if a function is code of a library, not of the program. */
  isLibraryFunction(index: number): boolean {
    return this.column("function.library")[index] === 1;
  }
  /** The name by which pictures colour a function: its library, or its part of the program. */
  moduleOf(index: number): string {
    return this.once("modules", () => modulesOf(this))[index] ?? "";
  }

  /** The rows' figures in a part of the run; none: of all of it. */
  rowSums(range: Range | null): Sums {
    if (!range || this.parts === 0) return this.total;
    return this.recent(`rows ${range.from}-${range.to}`, () => this.sumParts(range));
  }

  private readonly kept: [string, unknown][] = [];
  /** The last few of what a brush leads to. */
  recent<T>(key: string, make: () => T): T {
    const found = this.kept.find(([k]) => k === key);
    if (found) return found[1] as T;
    const value = make();
    this.kept.unshift([key, value]);
    this.kept.length = Math.min(this.kept.length, 8);
    return value;
  }

  /** Blocks and bytes alive before the first part, by row. */
  private base(): { live: Float64Array; liveBytes: Float64Array } {
    return this.once("base", () => {
      const live = this.total.live.slice();
      const liveBytes = this.total.liveBytes.slice();
      for (let i = 0; i < this.cellRow.length; i++) {
        live[this.cellRow[i]] -= this.cell.live[i];
        liveBytes[this.cellRow[i]] -= this.cell.liveBytes[i];
      }
      return { live, liveBytes };
    });
  }

  /** Bytes alive at each border, of all types together. */
  liveAt(): Float64Array {
    return this.once("liveAt", () => {
      const out = new Float64Array(this.parts + 1);
      for (const bytes of this.base().liveBytes) out[0] += bytes;
      for (let p = 0; p < this.parts; p++) {
        out[p + 1] = out[p];
        for (let i = this.cellAt[p]; i < this.cellAt[p + 1]; i++) out[p + 1] += this.cell.liveBytes[i];
      }
      return out;
    });
  }

  /** As liveAt(), by type: [type][border]. */
  liveAtByType(): Float64Array[] {
    return this.once("liveAtByType", () => this.liveAtBy(this.types, this.rowType()));
  }
  private liveAtBy(count: number, of: Uint32Array): Float64Array[] {
    const now = new Float64Array(count);
    const base = this.base().liveBytes;
    for (let r = 0; r < this.rows; r++) now[of[r]] += base[r];
    const out = Array.from(now, () => new Float64Array(this.parts + 1));
    const put = (border: number) => {
      for (let t = 0; t < now.length; t++) out[t][border] = now[t];
    };
    put(0);
    for (let p = 0; p < this.parts; p++) {
      for (let i = this.cellAt[p]; i < this.cellAt[p + 1]; i++) now[of[this.cellRow[i]]] += this.cell.liveBytes[i];
      put(p + 1);
    }
    return out;
  }

  rowType(): Uint32Array {
    return this.once("rowType", () => this.rowSite.map((site) => this.siteType[site]));
  }

  /** The border at which most was alive in a range. */
  highest(range: Range): number {
    const live = this.liveAt();
    let best = range.from;
    for (let b = range.from; b <= range.to; b++) if (live[b] > live[best]) best = b;
    return best;
  }

  private sumParts(range: Range): Sums {
    const { cell, cellRow, cellAt } = this;
    const add = (out: Float64Array, values: Float64Array, from: number, to: number) => {
      for (let i = cellAt[from]; i < cellAt[to]; i++) out[cellRow[i]] += values[i];
      return out;
    };
    return lazySums((figure) => {
      switch (figure) {
        case "live":
          return add(this.base().live.slice(), cell.live, 0, range.to);
        case "liveBytes":
          return add(this.base().liveBytes.slice(), cell.liveBytes, 0, range.to);
        case "peakBytes":
          return add(this.base().liveBytes.slice(), cell.liveBytes, 0, this.highest(range));
        case "temporary":
          return new Float64Array(this.rows);
        case "lived": {
          const out = new Float64Array(this.rows);
          const mean = this.meanLives();
          const typeOf = this.rowType();
          for (let p = range.from; p < range.to; p++)
            for (let i = cellAt[p]; i < cellAt[p + 1]; i++)
              out[cellRow[i]] += cell.frees[i] * mean[p * this.types + typeOf[cellRow[i]]];
          return out;
        }
        default:
          return add(new Float64Array(this.rows), cell[figure], range.from, range.to);
      }
    });
  }

  /** The mean lifetime of what was freed of a type in a part, from its classes: by part, then type. */
  private meanLives(): Float64Array {
    return this.once("meanLives", () => {
      const sum = new Float64Array(this.parts * this.types);
      const blocks = new Float64Array(this.parts * this.types);
      this.eachLife({ from: 0, to: this.parts }, (type, kind, count, _bytes, part) => {
        const [low, high] = this.lifeClass(kind);
        sum[part * this.types + type] += (count * (low + high)) / 2;
        blocks[part * this.types + type] += count;
      });
      return sum.map((value, i) => (blocks[i] > 0 ? value / blocks[i] : 0));
    });
  }

  /** From and to of a class of lifetimes. */
  lifeClass(kind: number): [number, number] {
    const edges = this.head.life_edges;
    const low = kind === 0 ? 0 : edges[kind - 1];
    return [low, edges[kind] ?? low * 2];
  }

  eachLife(range: Range, use: (type: number, kind: number, count: number, bytes: number, part: number) => void): void {
    const [type, kind, count, bytes] = ["type", "class", "count", "bytes"].map((n) => this.column(`life.${n}`));
    for (let p = range.from; p < range.to; p++)
      for (let i = this.lifeAt[p]; i < this.lifeAt[p + 1]; i++) use(type[i], kind[i], count[i], bytes[i], p);
  }

  /** Freed blocks by type and class of lifetime. */
  lives(range: Range | null): Map<number, Float64Array> {
    return this.recent(`lives ${range?.from}-${range?.to}`, () => {
      const out = new Map<number, Float64Array>();
      if (range && this.parts > 0) {
        this.eachLife(range, (type, kind, count) => {
          let classes = out.get(type);
          if (!classes) {
            classes = new Float64Array(this.head.life_edges.length + 1);
            out.set(type, classes);
          }
          classes[kind] += count;
        });
        return out;
      }
      this.report.types.forEach((t, type) => {
        const classes = this.classesOf(t.lifetime);
        if (classes) out.set(type, classes);
      });
      return out;
    });
  }

  /** Freed blocks by class of lifetime, under the names that they are known by: rows of `kinds`; in a part of the
   * run, which has them by type alone, names of types. */
  namedLives(range: Range | null): { type: number; name: string; full: string; classes: Float64Array }[] {
    return this.recent(`named lives ${range?.from}-${range?.to}`, () => {
      if (range && this.parts > 0)
        return [...this.lives(range)].map(([type, classes]) => {
          const name = this.typeName(type);
          return { type, name, full: this.report.types[type].type ?? name, classes };
        });
      return this.kinds.flatMap(({ type, name }, row) => {
        const classes = this.kindLives(range, row);
        return classes ? [{ type, name, full: this.kindText(row), classes }] : [];
      });
    });
  }

  /** A histogram's blocks by class of lifetime. */
  private classesOf(lifetime: Lifetime | null): Float64Array | undefined {
    if (!lifetime?.histogram.length) return undefined;
    const edges = this.head.life_edges;
    const out = new Float64Array(edges.length + 1);
    for (const b of lifetime.histogram) {
      const middle = b.from + (b.to - b.from) / 2;
      let kind = 0;
      while (kind < edges.length && edges[kind] <= middle) kind++;
      out[kind] += b.count;
    }
    return out;
  }

  private group(range: Range | null, count: number, of: Uint32Array, key: string): Sums {
    return this.recent(`${key} ${range?.from}-${range?.to}`, () => {
      const rows = this.rowSums(range);
      return lazySums((figure) => {
        const from = rows[figure];
        const to = new Float64Array(count);
        for (let r = 0; r < from.length; r++) to[of[r]] += from[r];
        return to;
      });
    });
  }

  /** By line of the program's own code. */
  lineSums(range: Range | null): Sums {
    return this.group(range, this.column("line.file").length, this.rowLine, "lines");
  }
  lineFile(line: number): string {
    return this.text(this.column("line.file")[line]);
  }
  siteSums(range: Range | null): Sums {
    return this.group(range, this.sites, this.rowSite, "sites");
  }
  typeSums(range: Range | null): Sums {
    return this.group(range, this.types, this.rowType(), "types");
  }

  /** Figures of threads; of the whole run as the report has them. */
  threadSums(
    range: Range | null,
  ): { index: number; allocations: number; bytes: number; frees: number; freedBytes: number }[] {
    const all = (this.report.threads ?? []).map((t) => ({
      index: t.index,
      allocations: t.allocations,
      bytes: t.allocated_bytes,
      frees: t.frees,
      freedBytes: t.freed_bytes,
    }));
    if (!range || !this.head.time?.has_threads) return all;
    const byIndex = new Map(all.map((t) => [t.index, { ...t, allocations: 0, bytes: 0, frees: 0, freedBytes: 0 }]));
    const index = this.column("thread.index");
    for (let i = this.threadAt[range.from]; i < this.threadAt[range.to]; i++) {
      const thread = byIndex.get(index[i]);
      if (!thread) continue;
      thread.allocations += this.column("thread.allocations")[i];
      thread.bytes += this.column("thread.bytes")[i];
      thread.frees += this.column("thread.frees")[i];
      thread.freedBytes += this.column("thread.freedBytes")[i];
    }
    return [...byIndex.values()];
  }

  /** Sites of a type. */
  sitesOfType(type: number): number[] {
    const all = this.once("sitesOfType", () => {
      const out: number[][] = Array.from({ length: this.types }, () => []);
      this.siteType.forEach((t, site) => {
        out[t]?.push(site);
      });
      return out;
    });
    return all[type] ?? [];
  }
}

export const sidesOf = ({ head, columns }: Decoded): Side[] =>
  head.sides.map((side, index) => new Side(side, columns, `${index}.`));
