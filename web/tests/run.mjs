// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages that only a run fills, with a heap snapshot and samples of threads: INMEM_WEB_RUN is its trace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { settled } from "./settled.mjs";

const trace = process.env.INMEM_WEB_RUN;

/** Makes the page of the run and opens it. */
async function openRun({ inmem, open }, hash, options) {
  inmem("html", "-o", "run.html", trace);
  return open("run.html", hash, options);
}

export async function heapIsThere(context) {
  if (!trace) return;
  const page = await openRun(context, "heap");
  const wanted = JSON.parse(context.inmem("heap", "--format", "json", trace.replace(/\.inmem$/, ".heap")));
  // The same figures as the command's, with the same rows.
  for (const [name, rows] of [
    ["types", wanted.types],
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
  // All that is held stands in the picture; a click makes a box the whole of it.
  const before = await page.locator(".flame [role=treeitem]").count();
  assert.ok(before > 3, `${before} boxes`);
  const node = page.locator(".flame [role=treeitem]", { has: page.locator("text=Session") }).first();
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
  leaks: "Out of reach",
};

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
  await page.waitForSelector("h1 >> text=Samples of threads");
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
