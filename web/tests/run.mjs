// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages that only a run fills, with a heap snapshot and samples of threads: INMEM_WEB_RUN is its trace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { settled } from "./settled.mjs";

const trace = process.env.INMEM_WEB_RUN;
const heap = trace?.replace(/\.inmem$/, ".heap");

/** Makes the page of the run and opens it. */
async function openRun({ inmem, open }, hash, options) {
  inmem("html", "-o", "run.html", trace);
  return open("run.html", hash, options);
}

export async function heapIsThere(context) {
  if (!trace) return;
  const page = await openRun(context, "heap");
  const wanted = JSON.parse(context.inmem("heap", "--format", "json", heap));
  // Figures and rows equal the command's.
  for (const [name, rows] of [
    ["types", wanted.kinds],
    ["largest", wanted.largest],
    ["roots", wanted.roots],
    ["duplicates", wanted.duplicates],
    ["padding", wanted.padding],
    ["leaks", wanted.leaks],
  ]) {
    const grid = page.locator(`[role=grid][aria-label="${titles[name]}"]`);
    assert.equal(await grid.count(), rows.length > 0 ? 1 : 0, name);
    if (rows.length > 0) assert.equal(Number(await grid.getAttribute("aria-rowcount")), rows.length + 1, name);
  }
  const tile = await page.locator(".tile", { hasText: "bytes" }).first().getAttribute("title");
  assert.equal(tile, `${wanted.totals.bytes.toLocaleString("en")} bytes`);
  // The picture contains all that is held; a click makes a box the whole of it.
  const before = await page.locator(".flame [role=treeitem]").count();
  assert.ok(before > 3, `${before} boxes`);
  const node = page.locator(".flame [role=treeitem]", { has: page.locator('text="Session"') }).first();
  assert.match(await node.getAttribute("aria-label"), /^50 of Session: /);
  await node.click();
  await page.waitForFunction(() => /zoom=/.test(location.hash));
  await page.click("text=Zoom out");
  await page.waitForFunction(() => !/zoom=/.test(location.hash));
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.complaints, []);
  await page.screenshot({ path: join(context.work, "heap.png"), fullPage: true });
}

const titles = {
  types: "Types",
  largest: "Objects that retain the most",
  roots: "Roots",
  duplicates: "Duplicates",
  padding: "Padding",
  leaks: "Leaks",
};

/** Types read as in the text, with their arguments, and so do the boxes; places have a function and a line. */
export async function typesReadAsInTheText(context) {
  if (!trace) return;
  const page = await openRun(
    context,
    "heap?types-cols=type&leaks-cols=type site&duplicates-cols=type copies contents",
    {
      width: 1400,
    },
  );
  const cells = (label) =>
    page.$$eval(`[role=grid][aria-label="${label}"] .body .tr`, (all) =>
      all.map((row) => [...row.children].map((c) => c.textContent)),
    );
  const [, table] = /\nTYPES\n.*\n((?:.+\n)+)/.exec(context.inmem("heap", "--top", "0", heap));
  const told = table
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/)[0]);
  const shown = (await cells("Types")).flat();
  for (const name of [
    "std::map<int, std::unique_ptr<Session>> node",
    "std::vector<int *> buffer",
    "std::string buffer",
    "Session",
  ])
    assert.ok(shown.includes(name), `${name} in ${shown.join("; ")}`);
  assert.deepEqual(
    shown.filter((name) => !told.includes(name)),
    [],
  );
  assert.equal(new Set(shown).size, shown.length);
  const boxes = await page.$$eval(".flame [role=treeitem] text", (all) => all.map((t) => t.textContent));
  assert.ok(
    boxes.some((name) => name.startsWith("std::map<int, std::unique_")),
    boxes.join("; "),
  );
  const [[type, place]] = await cells("Leaks");
  assert.equal(type, "Session");
  assert.match(place, /^leak run\.cpp:\d+$/);
  assert.deepEqual(
    (await cells("Duplicates")).find((row) => row[0] === "std::string buffer"),
    ["std::string buffer", "50", "2"],
  );
  assert.deepEqual(page.complaints, []);
  // Where there is no room for the arguments, what follows them stays.
  const narrow = await openRun(context, "heap", { width: 800 });
  const grid = narrow.locator('[role=grid][aria-label="Types"]');
  const cell = await grid.locator("[role=gridcell]", { hasText: "std::map" }).first().boundingBox();
  const end = await grid.locator(".end", { hasText: "> node" }).first().boundingBox();
  assert.ok(end.x + end.width <= cell.x + cell.width + 1);
  await narrow.screenshot({ path: join(context.work, "heap-narrow.png"), fullPage: true });
}

/** Samples are a figure of the flame graph, with the sums of the report. */
export async function samplesAreDrawn(context) {
  if (!trace) return;
  const page = await openRun(context, "flame");
  await page.click("fieldset >> text=CPU time");
  await page.waitForFunction(() => /metric=samples/.test(location.hash));
  const { profile } = JSON.parse(context.inmem("report", "--format", "json", trace));
  const width = async (name) => {
    const label = await page
      .locator(".flame [role=treeitem]", { has: page.locator(`text=${name}`) })
      .first()
      .getAttribute("aria-label");
    return Number(/([\d.]+) %/.exec(label)[1]);
  };
  const busy = profile.functions.find((f) => f.function.startsWith("busy"));
  assert.ok(Math.abs((await width("busy")) - (100 * busy.total) / profile.samples) < 0.2);
  for (const shape of ["Bottom-up", "Butterfly", "Icicle"]) {
    await page.click(`fieldset >> text="${shape}"`);
    await settled(page);
  }
  await page.goto(`${page.url().split("#")[0]}#profile`);
  await page.waitForSelector("h1 >> text=Where threads were");
  assert.deepEqual(page.complaints, []);
}

export async function heapOnAPhone(context) {
  if (!trace) return;
  const page = await openRun(context, "heap", { width: 390, height: 800, dark: true });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(context.work, "heap-phone.png") });
}
