// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A page's data of any size, written as report/formats/PageData.cpp writes it.
import { deflateSync } from "node:zlib";

class Columns {
  directory = [];
  parts = [];

  add(name, values, kind = "u") {
    const out = Buffer.allocUnsafe(values.length * 8 + 8);
    let at = 0;
    let before = 0;
    for (const raw of values) {
      let value = raw;
      if (kind === "d") {
        value = raw - before;
        before = raw;
      }
      if (kind !== "u") value = value < 0 ? -2 * value - 1 : 2 * value;
      for (; value >= 128; value = Math.floor(value / 128)) out[at++] = (value % 128) + 128;
      out[at++] = value;
    }
    this.directory.push([name, values.length, kind]);
    this.parts.push(out.subarray(0, at));
  }
}

/** Random numbers, equal for equal seeds. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

export function bigPage({ stacks, sites, types, parts }) {
  const random = numbers(7);
  const columns = new Columns();
  const strings = [""];
  const text = (value) => strings.push(value) - 1;
  const functions = 20000;
  const names = Array.from({ length: functions }, (_, i) =>
    text(`module${i % 97}::Class${i % 499}::function${i}(int)`),
  );
  const file = Array.from({ length: 200 }, (_, i) => text(`src/part${i}.cpp`));
  const fill = (count, of) => Float64Array.from({ length: count }, (_, i) => of(i));
  const siteType = fill(sites, (i) => i % types);
  columns.add(
    "0.site.function",
    fill(sites, (i) => names[i % functions]),
  );
  columns.add(
    "0.site.file",
    fill(sites, (i) => file[i % file.length]),
  );
  columns.add(
    "0.site.line",
    fill(sites, (i) => 1 + (i % 3000)),
  );
  columns.add("0.site.column", new Float64Array(sites));
  for (const name of ["kind", "module", "alias", "timed", "min", "mean", "p50", "p90", "p99", "max"])
    columns.add(`0.site.${name}`, new Float64Array(sites));
  columns.add("0.site.type", siteType);
  // A tree as programs have it, some 40 deep.
  const depth = new Uint8Array(stacks + 1);
  const parent = fill(stacks + 1, (i) => {
    if (i < 2) return 0;
    let above = i - 1 - random(Math.min(i - 1, i % 3 ? 3 : 400));
    while (depth[above] > 40) above = Math.floor(above / 2);
    depth[i] = depth[above] + 1;
    return above;
  });
  columns.add("0.node.parent", parent, "d");
  columns.add(
    "0.node.function",
    fill(stacks + 1, (i) => (i === 0 ? 0 : 1 + ((i * 31) % functions))),
  );
  columns.add("0.function.name", [0, ...names]);
  columns.add(
    "0.function.file",
    fill(functions + 1, (i) => file[i % file.length]),
  );
  columns.add(
    "0.function.line",
    fill(functions + 1, (i) => i % 3000),
  );
  columns.add("0.function.module", new Float64Array(functions + 1));
  const blocks = fill(stacks, () => 1 + random(50));
  const size = fill(stacks, () => 16 + 16 * random(40));
  const bytes = blocks.map((n, i) => n * size[i]);
  const frees = blocks.map((n) => n - (random(10) === 0 ? 1 : 0));
  const row = (name, of) => columns.add(`0.row.${name}`, fill(stacks, of));
  row("site", (i) => i % sites);
  row("node", (i) => i + 1);
  row("line", (i) => i % 5000);
  row("allocations", (i) => blocks[i]);
  row("bytes", (i) => bytes[i]);
  row("frees", (i) => frees[i]);
  row("freedBytes", (i) => frees[i] * size[i]);
  row("live", (i) => blocks[i] - frees[i]);
  row("liveBytes", (i) => (blocks[i] - frees[i]) * size[i]);
  row("temporary", () => 0);
  row("peakBytes", (i) => size[i]);
  row("lived", (i) => frees[i] * 1000);
  columns.add(
    "0.line.file",
    fill(5000, (i) => file[i % file.length]),
  );
  columns.add(
    "0.line.number",
    fill(5000, (i) => 1 + Math.floor(i / file.length)),
  );
  // Each row is at work in one part.
  const cells = fill(parts, (p) => Math.floor((stacks - p + parts - 1) / parts));
  columns.add("0.part.cells", cells);
  const order = [];
  for (let p = 0; p < parts; p++) for (let r = p; r < stacks; r += parts) order.push(r);
  columns.add(
    "0.cell.row",
    order.map((r) => Math.min(r, parts)),
  );
  const cell = (name, of) => columns.add(`0.cell.${name}`, Float64Array.from(order, of), "s");
  cell("allocations", (r) => blocks[r]);
  cell("bytes", (r) => bytes[r]);
  cell("frees", (r) => frees[r]);
  cell("freedBytes", (r) => frees[r] * size[r]);
  cell("live", () => 0);
  cell("liveBytes", () => 0);
  columns.add("0.part.lives", new Float64Array(parts).fill(types));
  columns.add(
    "0.life.type",
    fill(parts * types, (i) => i % types),
  );
  columns.add(
    "0.life.class",
    fill(parts * types, (i) => 8 + (i % 9)),
  );
  columns.add(
    "0.life.count",
    fill(parts * types, () => 1 + random(1000)),
  );
  columns.add("0.life.bytes", new Float64Array(parts * types));
  columns.add("0.part.threads", new Float64Array(parts));
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const ofType = Array.from({ length: types }, () => ({
    allocations: 0,
    allocated_bytes: 0,
    frees: 0,
    freed_bytes: 0,
  }));
  for (let i = 0; i < stacks; i++) {
    const t = ofType[siteType[i % sites]];
    t.allocations += blocks[i];
    t.allocated_bytes += bytes[i];
    t.frees += frees[i];
    t.freed_bytes += frees[i] * size[i];
  }
  const counts = (c) => ({
    ...c,
    live_allocations: c.allocations - c.frees,
    live_bytes: c.allocated_bytes - c.freed_bytes,
    peak_live_bytes: null,
    temporary_allocations: 0,
  });
  const all = {
    allocations: sum(blocks),
    allocated_bytes: sum(bytes),
    frees: sum(frees),
    freed_bytes: sum(frees.map((n, i) => n * size[i])),
  };
  const head = {
    schema: "inmem-page/1",
    kind: "report",
    diff: null,
    sides: [
      {
        label: "big",
        report: {
          processes: [
            {
              pid: 1,
              command: ["./big"],
              host: null,
              start_unix_ns: null,
              duration_ns: 1e9,
              complete: true,
              clock: "auto",
              trace: "",
            },
          ],
          findings: [],
          totals: counts(all),
          types: ofType.map((t, i) => ({
            type: `ns${i % 13}::Type${i}`,
            alias: null,
            size: 16,
            align: 8,
            ...counts(t),
            elements: null,
            objects: null,
            lifetime: null,
          })),
          leaked_objects: [],
          copies: [],
          notes: [],
        },
        aliases: ofType.map((_, i) => `ns${i % 13}::Type${i}`),
        classes: ofType.map(() => ""),
        library: "(C and C++ library)",
        unknown: [],
        bytes_are: "allocated",
        life_edges: Array.from({ length: 45 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3)),
        fields: {},
        sources: [],
        advice: { saves: [], together: { allocations: 0, bytes: 0, peak_bytes: 0 }, not_faster: null, none: "" },
        folded_rows: 0,
        stacks: true,
        time: {
          begin_ns: 0,
          of_events: true,
          has_threads: false,
          ends_ns: Array.from({ length: parts }, (_, p) => ((p + 1) * 1e9) / parts),
        },
        strings,
      },
    ],
    columns: columns.directory,
  };
  const json = Buffer.from(JSON.stringify(head));
  const size4 = Buffer.alloc(4);
  size4.writeUInt32LE(json.length);
  return deflateSync(Buffer.concat([size4, json, ...columns.parts]), { level: 3 });
}
