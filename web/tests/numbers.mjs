// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page shows is what `inmem report --format json` prints.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataOf } from "./data.mjs";

const sum = (values) => values.reduce((a, b) => a + b, 0);
/** The page's order; the report lists what libraries keep for themselves last. */
const byBytes = (a, b) => b.allocated_bytes - a.allocated_bytes;

function checkSide(head, columns, prefix, report) {
  const { totals, types } = report;
  const row = (name) => columns[`${prefix}row.${name}`];
  assert.equal(sum(row("allocations")), totals.allocations);
  assert.equal(sum(row("bytes")), totals.allocated_bytes);
  assert.equal(sum(row("frees")), totals.frees);
  assert.equal(sum(row("freedBytes")), totals.freed_bytes);
  assert.equal(sum(row("live")), totals.live_allocations);
  assert.equal(sum(row("liveBytes")), totals.live_bytes);
  assert.deepEqual(
    head.report.types.map((t) => [
      t.type,
      t.allocations,
      t.allocated_bytes,
      t.live_bytes,
      t.peak_live_bytes,
      t.lifetime,
    ]),
    types
      .toSorted(byBytes)
      .map((t) => [t.type, t.allocations, t.allocated_bytes, t.live_bytes, t.peak_live_bytes, t.lifetime]),
  );
  assert.deepEqual(head.report.totals, totals);
  assert.deepEqual(head.report.findings, report.findings);
  const site = (name) => columns[`${prefix}site.${name}`];
  const bySite = new Float64Array(site("function").length);
  row("bytes").forEach((bytes, r) => {
    bySite[row("site")[r]] += bytes;
  });
  assert.deepEqual(
    report.sites.toSorted(byBytes).map((s) => {
      // A library's site is shown where the program called it.
      const { function: named, file, line } = s.caller ?? s;
      return [named, file, line, s.type, s.allocated_bytes, s.lifetime?.p50 ?? null];
    }),
    Array.from(bySite, (bytes, s) => [
      head.strings[site("function")[s]],
      head.strings[site("file")[s]] || null,
      site("line")[s] || null,
      head.report.types[site("type")[s]].type,
      bytes,
      site("p50")[s] > 0 ? site("p50")[s] - 1 : null,
    ]),
  );
}

export function equalsTheReport({ inmem, work }) {
  const { head, columns } = dataOf(join(work, "new.html"));
  const report = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "--by", "type,site", "new.inmem"));
  checkSide(head.sides[0], columns, "0.", report);
  const both = dataOf(join(work, "diff.html"));
  checkSide(both.head.sides[1], both.columns, "1.", report);
  const diff = JSON.parse(inmem("diff", "--format", "json", "--by", "type,site", "old.inmem", "new.inmem"));
  const { types, ...rest } = both.head.diff;
  delete diff.types;
  assert.deepEqual(rest, diff);
  // The page has a row a name, which adds up the sites of that name.
  const changes = (rows) => {
    const sums = {};
    for (const { name, old, new: now } of rows)
      sums[name] = (sums[name] ?? 0) + (now?.allocated_bytes ?? 0) - (old?.allocated_bytes ?? 0);
    return sums;
  };
  assert.deepEqual(changes(types), changes(diff.sites));
}

export async function momentsHaveATimeZone({ open }) {
  const page = await open("new.html", "findings");
  const shown = await page.textContent("#main");
  const moments = shown.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( UTC)?/g) ?? [];
  assert.equal(moments.length, 1, shown);
  assert.match(moments[0], / UTC$/);
}

/** Parts of the run add up to the whole, and each to what the report says of a phase. */
export function partsAddUp({ inmem, work }) {
  const { head, columns } = dataOf(join(work, "new.html"));
  const cells = (name) => columns[`0.cell.${name}`];
  const { totals } = head.sides[0].report;
  assert.ok(columns["0.part.cells"].length >= 3);
  assert.equal(sum(cells("allocations")), totals.allocations);
  assert.equal(sum(cells("bytes")), totals.allocated_bytes);
  assert.equal(sum(cells("frees")), totals.frees);
  assert.equal(sum(cells("freedBytes")), totals.freed_bytes);
  assert.equal(
    sum(columns["0.life.count"]),
    sum(head.sides[0].report.types.map((t) => (t.lifetime ? t.lifetime.count : 0))),
  );
  const points = head.sides[0].report.timeline.points;
  const ends = head.sides[0].time.ends_ns;
  const part = ends.indexOf(points.find((p) => p.name === "close").ns);
  const phase = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "--phase", "serve", "new.inmem"));
  const from = sum(columns["0.part.cells"].slice(0, part));
  const to = from + columns["0.part.cells"][part];
  assert.equal(sum(cells("allocations").slice(from, to)), phase.totals.allocations);
  assert.equal(sum(cells("freedBytes").slice(from, to)), phase.totals.freed_bytes);
}

/** A limit folds rare stacks into their callers; nothing is lost. */
export function limitKeepsTotals({ inmem, work }) {
  inmem("html", "--no-symbols", "--no-source", "--limit", "5500", "-o", "small.html", "new.inmem");
  const { head, columns } = dataOf(join(work, "small.html"));
  assert.ok(head.sides[0].folded_rows > 0);
  const whole = dataOf(join(work, "new.html"));
  assert.ok(columns["0.node.parent"].length < whole.columns["0.node.parent"].length);
  for (const name of ["row.allocations", "row.bytes", "row.liveBytes", "cell.bytes", "cell.frees"])
    assert.equal(sum(columns[`0.${name}`]), sum(whole.columns[`0.${name}`]), name);
  const report = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "--by", "type,site", "new.inmem"));
  checkSide(head.sides[0], columns, "0.", report);
}

/** libstdc++'s own block is larger than all of the program's; each site has its type nevertheless. */
export async function librarysOwnIsLargest({ assemble, inmem, open, work }) {
  const text = `header state=complete flags=instrumented ticks-per-second=1000000000 clock=exact live-bytes=72704 peak-live-bytes=72832
extent meta
  process "./app"
  thread index=1
  module id=1 base=0x7fc705400000 path="/opt/libstdc++.so.6"
  site id=1 key=0x1 kind=caller module=1 offset=0xa57ba rule=none
  type index=1 id=0x10 size=24 align=8 flags=class name="Node"
  site id=2 type=1 key=0x2 kind=new function="build()" file="app.cpp" line=5 rule=language
  type index=2 id=0x20 size=32 align=8 flags=class name="Leaf"
  site id=3 type=2 key=0x3 kind=new function="build()" file="app.cpp" line=6 rule=language
extent rows owner=1
  row site=1 allocations=1 bytes=72704
  row site=2 type=1 allocations=4 bytes=96 frees=4 freed-bytes=96
  row site=3 type=2 allocations=1 bytes=32 frees=1 freed-bytes=32
`;
  writeFileSync(join(work, "pool.trace"), text);
  assemble("pool.inmem", "pool.trace");
  inmem("html", "--no-symbols", "-o", "pool.html", "pool.inmem");
  const { head, columns } = dataOf(join(work, "pool.html"));
  const report = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "--by", "type,site", "pool.inmem"));
  assert.deepEqual(
    report.types.map((t) => t.type),
    ["Node", "Leaf", null],
  );
  checkSide(head.sides[0], columns, "0.", report);
  assert.deepEqual(head.sides[0].aliases, ["(C and C++ library)", "Node", "Leaf"]);
  const page = await open("pool.html", "types?cols=type bytes");
  const rows = await page.$$eval(".body .tr", (all) =>
    all.map((r) => [...r.querySelectorAll("[role=gridcell]")].map((c) => c.textContent.trim()).join(" ")),
  );
  assert.deepEqual(rows, ["(C and C++ library) 71.0 KiB", "Node 96 B", "Leaf 32 B"]);
}

/** Text, page and JSON call one thing by one name, and split a type by the names of its blocks. */
export async function namesAreTheTexts({ assemble, inmem, open, work }) {
  const mutate = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm";
  const text = `header state=complete flags=instrumented ticks-per-second=1000000000 clock=exact live-bytes=72704 peak-live-bytes=90000
extent meta
  process "./app"
  thread index=1
  module id=1 base=0x7fc705400000 path="/opt/libstdc++.so.6"
  site id=1 key=0x1 kind=caller module=1 offset=0xa57ba rule=none
  type index=1 id=0x10 size=1 align=1 name="char"
  site id=2 type=1 key=0x2 kind=allocator function="${mutate}" file="/usr/include/c++/12/x.h" line=3 rule=language
    frame function="f" file="a.cpp" line=4
  site id=3 type=1 key=0x3 kind=malloc function="raw" file="a.cpp" line=9 rule=language
  site id=4 key=0x4 kind=caller module=1 offset=0x20 rule=none
  type index=2 id=0x20 size=32 align=8 flags=class name="Leaf"
  site id=5 type=2 key=0x5 kind=allocator function="_ZNSt12_Vector_baseI4LeafSaIS0_EE11_M_allocateEm" file="/usr/include/c++/12/y.h" line=3 rule=language
    frame function="g" file="a.cpp" line=14
  module id=2 base=0x1000 path="/bin/app"
  object module=2 cell=0 type=2 event=constructed storage=stack manner=default class="Leaf" function="g" file="a.cpp" line=12
extent counters owner=1 module=2
  counts 7
extent rows owner=1
  row site=1 allocations=1 bytes=72704
  row site=2 type=1 allocations=4 bytes=9000 frees=4 freed-bytes=9000 timed=4 weighted-timed=4 sum=40 min=10 max=10
    octave 1 2=4/9000
  row site=3 type=1 allocations=3 bytes=300 frees=3 freed-bytes=300
  row site=4 allocations=2 bytes=50 frees=2 freed-bytes=50
  row site=5 type=2 allocations=1 bytes=64 frees=1 freed-bytes=64
`;
  writeFileSync(join(work, "names.trace"), text);
  assemble("names.inmem", "names.trace");
  inmem("html", "--no-symbols", "-o", "names.html", "names.inmem");
  const cells = async (hash) => {
    const page = await open("names.html", hash);
    return page.$$eval(".body .tr", (all) =>
      all.map((r) => [...r.querySelectorAll("[role=gridcell]")].map((c) => c.title || c.textContent.trim())),
    );
  };
  const types = await cells("types?cols=type bytes allocations");
  const library = ["(C and C++ library)", "72704", "1"];
  // As reports list them, but for the libraries' own: a table is in the order of its column.
  assert.deepEqual(types, [
    library,
    ["std::string buffer", "9000", "4"],
    ["char", "300", "3"],
    ["std::vector<Leaf> buffer", "64", "1"],
    ["(unknown type)", "50", "2"],
  ]);
  const { types: ofReport } = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "names.inmem"));
  const kinds = ofReport.flatMap((t) => t.kinds ?? []).map((k) => [k.name, `${k.allocated_bytes}`, `${k.allocations}`]);
  for (const kind of kinds)
    assert.ok(
      types.some((row) => row.join() === kind.join()),
      kind.join(),
    );
  assert.equal(kinds.length, 4);
  const printed = inmem("report", "--no-symbols", "--by", "type,site", "--details", "0", "names.inmem");
  const section = printed.slice(printed.indexOf("\nTYPES\n"), printed.indexOf("\nSITES\n"));
  assert.deepEqual(
    section
      .split("\n")
      .filter((l) => /^ {2}[^ …]/.test(l))
      .slice(1)
      .map((l) => l.trim().split(/ {2,}/)[0]),
    [...types.slice(1), library].map(([name]) => name),
  );
  const sites = await cells("sites?cols=of bytes");
  assert.deepEqual(
    sites.map(([name]) => name),
    types.map(([name]) => name),
  );
  assert.deepEqual(
    (await cells("leaks?cols=of liveBytes")).map(([name]) => name),
    [library[0]],
  );
  assert.deepEqual((await cells("objects?cols=type made"))[0], ["Leaf", "7"]);
  const texts = async (hash, selector) => {
    const page = await open("names.html", hash);
    await page.waitForSelector(selector);
    return page.locator(selector).evaluateAll((all) => all.map((e) => e.getAttribute("aria-label") ?? e.textContent));
  };
  const boxes = async (hash, of = "") =>
    (await texts(hash, `g[data-i]${of}`)).map((label) => label.replace(/[:,] .*/, "")).sort();
  // Without those too narrow to be seen.
  const wide = types.filter(([, size]) => Number(size) >= 300).map(([name]) => name);
  assert.deepEqual(await boxes("flame?shape=bottom-up", "[aria-level='2']"), wide.sort());
  assert.ok((await boxes("flame")).includes("std::string buffer"));
  assert.deepEqual(await texts("lifetimes", ".heat text.name"), ["std::string buffer"]);
  assert.deepEqual(await texts("source", ".source .types a"), [
    "std::string buffer",
    "char",
    "std::vector<Leaf> buffer",
  ]);
}

/** The table's first row is the report's first type. */
export async function tableShowsThem({ open, inmem }) {
  const page = await open("new.html", "types?cols=type bytes allocations frees");
  const report = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "new.inmem"));
  const cells = await page.$$eval(".body .tr:first-child [role=gridcell]", (all) => all.map((c) => c.title));
  const [first] = report.types;
  assert.equal(first.kinds, undefined);
  assert.deepEqual(
    cells,
    [first.alias ?? first.type, first.allocated_bytes, first.allocations, first.frees].map(String),
  );
}

/** Each finding says what it is about, and in which function, as text does. */
export async function findingsAreNamed({ open, inmem }) {
  const { findings } = JSON.parse(inmem("report", "--format", "json", "new.inmem"));
  const page = await open("new.html", "findings");
  const shown = await page.$$eval(".finding", (all) =>
    all.map((f) => [f.querySelector("h2").textContent, f.querySelector(".at code")?.title ?? null]),
  );
  assert.ok(findings.some((f) => f.about !== f.type));
  assert.ok(findings.some((f) => f.site.function));
  findings.forEach((f, i) => {
    assert.deepEqual(shown[i], [f.about, f.site.function]);
  });
}

/** Figures that another tool did not count: a profile of massif, which has bytes at the peak alone. */
export async function unknownIsNotZero({ assemble, inmem, open, work }) {
  const text = `header state=complete flags=imported,no-totals,no-blocks,no-temporary,no-live-by-site ticks-per-second=1000000000 clock=exact live-bytes=3000 peak-live-bytes=203000
extent meta
  process "./app"
  thread index=1
  site id=1 key=0x1 kind=unknown function="peaked()" file="app.cpp" line=12 rule=none
  site id=2 key=0x2 kind=unknown function="(not distinguished)" file="" rule=none
extent types
  total live=3000 peak=203000
extent rows owner=1
  row site=1 allocations=1 bytes=200000 frees=1 freed-bytes=200000
  row site=2 allocations=1 bytes=3000
extent peak
  at-peak site=1 live=200000
`;
  writeFileSync(join(work, "massif.trace"), text);
  assemble("massif.inmem", "massif.trace");
  inmem("html", "--no-symbols", "-o", "massif.html", "massif.inmem");
  const cells = async (hash) => {
    const page = await open("massif.html", hash);
    assert.deepEqual(page.complaints, [], hash);
    const titles = await page.$$eval("[role=columnheader]", (all) => all.map((c) => c.textContent));
    const row = await page.$$eval(".body .tr:first-child [role=gridcell]", (all) =>
      all.map((c) => c.textContent.trim()),
    );
    return { page, titles: titles.join(" "), row };
  };
  const tilesOf = (page) =>
    page.$$eval(".tile", (all) => all.map((t) => [...t.children].map((c) => c.textContent.trim()).join(" ")));
  const findings = await cells("findings");
  assert.deepEqual((await tilesOf(findings.page)).slice(0, 5), [
    "allocated unknown",
    "blocks unknown",
    "frees unknown",
    "live at the end 2.9 KiB",
    "peak 198 KiB",
  ]);
  const types = await cells("types");
  assert.match(types.titles, /at the peak/);
  assert.deepEqual(types.row.slice(2, 5), ["–", "2.9 KiB", "198 KiB"]);
  const sites = await cells("sites");
  assert.deepEqual(sites.row.slice(-2), ["–", "–"]);
  const leaks = await cells("leaks");
  assert.deepEqual((await tilesOf(leaks.page)).slice(0, 2), ["live 2.9 KiB", "blocks unknown"]);
  const flame = await open("massif.html", "flame");
  assert.match(await flame.locator("body").textContent(), /Bytes at the peak/);
  assert.doesNotMatch(await flame.locator(".tools").first().textContent(), /Blocks/);
}

/** Each bucket of a histogram is in its class of the heat map: an ordinary one, and the last that a trace has. */
export async function lifetimesAreInTheirClass({ assemble, inmem, open, work }) {
  const text = `header state=complete ticks-per-second=1000000000 clock=exact
extent meta
  type index=1 id=0x11 size=24 align=8 name="Short"
  type index=2 id=0x12 size=24 align=8 name="Long"
  site id=1 type=1 key=0x101 kind=new function="f()" file="a.cpp" line=1
  site id=2 type=2 key=0x102 kind=new function="g()" file="a.cpp" line=2
  thread index=1
extent rows owner=1
  row site=1 type=1 allocations=3 bytes=72 frees=3 freed-bytes=72 timed=3 weighted-timed=3 sum=42 min=14 max=14
    octave 1 6=3/72
  row site=2 type=2 allocations=1 bytes=24 frees=1 freed-bytes=24 timed=1 weighted-timed=1 sum=1040000000000 min=1040000000000 max=1040000000000
    octave 37 7=1/24
`;
  writeFileSync(join(work, "lived.trace"), text);
  assemble("lived.inmem", "lived.trace");
  inmem("html", "--no-symbols", "-o", "lived.html", "lived.inmem");
  const page = await open("lived.html", "lifetimes");
  await page.waitForSelector(".heat rect");
  const titles = await page.$$eval(".heat rect title", (all) => all.map((title) => title.textContent).sort());
  assert.deepEqual(titles, [
    "Long: 1 blocks lived 16.7 min to 33.3 min, 100 %",
    "Short: 3 blocks lived 10 ns to 20 ns, 100 %",
  ]);
}

/** The page rounds as reports in text do: UnitsTest.cpp reads the same list. */
export async function figuresReadAsInTheText({ work }) {
  const { transformSync } = await import("esbuild");
  const source = readFileSync(new URL("../src/format.ts", import.meta.url), "utf8");
  const file = join(work, "format.mjs");
  writeFileSync(file, transformSync(source, { loader: "ts", format: "esm" }).code);
  const format = await import(file);
  const figures = JSON.parse(readFileSync(new URL("figures.json", import.meta.url), "utf8"));
  for (const [name, rows] of Object.entries(figures))
    for (const [given, text] of rows) assert.equal(format[name](...[given].flat()), text, `${name} of ${given}`);
}
