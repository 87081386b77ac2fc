// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings with their code, folded and compared stacks, the time line's legend, pages on paper.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settled } from "./settled.mjs";

const labelsOf = (page) => page.$$eval(".flame g[data-i]", (all) => all.map((g) => g.getAttribute("aria-label")));
const go = async (page, hash) => {
  await page.goto(`${page.url().split("#")[0]}#${hash}`);
  await settled(page);
};
const mib = (bytes) => `${(bytes / 1048576).toFixed(1)} MiB`;

export async function findingsShowTheirCode({ open, inmem, work }) {
  const page = await open("new.html", "findings");
  const { findings, totals } = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "new.inmem"));
  const [f] = findings;
  const card = page.locator(".finding").first();
  assert.equal(await card.locator(".hot code").textContent(), `line ${f.site.line} of the shop`);
  const share = `${((100 * f.saves_allocations) / totals.allocations).toFixed(1)} %`;
  assert.equal(await card.locator(".saved dd strong").first().textContent(), share);
  // One finding: all of them save as much.
  assert.equal(await page.locator(".together .saved dd strong").first().textContent(), share);
  const bar = await card
    .locator(".saved .bar")
    .first()
    .evaluate((b) => b.firstChild.offsetWidth / b.offsetWidth);
  assert.ok(Math.abs(bar - f.saves_allocations / totals.allocations) < 0.02, `${bar}`);
  const file = join(work, "src", "shop.cpp").split("/").map(encodeURIComponent).join("/");
  assert.equal(await card.locator(".editor").getAttribute("href"), `vscode://file${file}:${f.site.line}`);
  assert.equal(await card.locator(".lines .old").first().isVisible(), false);
  await card.locator("summary").click();
  for (const kind of [".old", ".now"]) assert.ok(await card.locator(`.lines ${kind}`).first().isVisible(), kind);
  assert.deepEqual(page.complaints, []);
}

export async function editorsAreChosen({ open, inmem }) {
  inmem("html", "--no-symbols", "--editor", "ed://x?f={file}&l={line}", "-o", "editor.html", "new.inmem");
  const page = await open("editor.html", "source?file=src/shop.cpp&line=9");
  assert.match(await page.getAttribute(".editor", "href"), /^ed:\/\/x\?f=\/.*\/src\/shop\.cpp&l=9$/);
  inmem("html", "--no-symbols", "--editor", "none", "-o", "editor.html", "new.inmem");
  const without = await open("editor.html", "source?file=src/shop.cpp");
  assert.equal(await without.locator(".editor").count(), 0);
  for (const bad of ["javascript:alert('{file}')", "data:text/html,{file}", "emacs", "Vs{file}", "ed://no-file"])
    assert.throws(
      () => inmem("html", "--editor", bad, "-o", "editor.html", "new.inmem"),
      (error) => error.status === 2 && /--editor: expected .*, found/.test(error.stderr),
      bad,
    );
}

export async function libraryFramesFold({ open }) {
  const page = await open("new.html", "flame");
  await page.waitForSelector("g[data-i]");
  const folded = await labelsOf(page);
  const marked = folded.filter((l) => / library frames? folded/.test(l));
  assert.ok(marked.length > 2, folded.join("\n"));
  assert.ok(!folded.some((l) => /^std::__new_allocator/.test(l)));
  await page.click('label:has-text("library frames")');
  await page.waitForFunction(() => /library=1/.test(location.hash));
  await settled(page);
  const whole = await labelsOf(page);
  assert.ok(whole.length > folded.length && !whole.some((l) => /folded/.test(l)));
  assert.equal(whole[0], folded[0]);
  await go(page, "flame");
  await page.locator("g.folded rect").first().click();
  await page.waitForFunction(() => /unfold=\d/.test(location.hash));
  await settled(page);
  const opened = await labelsOf(page);
  assert.ok(opened.length > folded.length && opened.some((l) => /folded/.test(l)));
  await page.click("text=Fold again");
  await page.waitForFunction(() => !/unfold=/.test(location.hash));
  await settled(page);
  assert.deepEqual(await labelsOf(page), folded);
  // Callees first: the program's functions are next to the types.
  await go(page, "flame?shape=bottom-up");
  await page.waitForSelector("g[aria-level='3']");
  const second = await page.$$eval("g[aria-level='3']", (all) => all.map((g) => g.getAttribute("aria-label")));
  assert.ok(second.some((l) => l.startsWith("shop::")) && !second.some((l) => l.startsWith("std::")), second.join());
  // Names end at the border of their boxes.
  await go(page, "flame");
  const spilled = await page.$$eval("g[data-i]", (all) =>
    all.filter((g) => {
      const [label, rect] = [g.querySelector("svg"), g.querySelector("rect")];
      const end = (e) => Number(e.getAttribute("x")) + Number(e.getAttribute("width"));
      return label && (end(label) > end(rect) || getComputedStyle(label).overflow !== "hidden");
    }),
  );
  assert.equal(spilled.length, 0);
  assert.deepEqual(page.complaints, []);
}

export async function twoRunsInOnePicture({ open, inmem }) {
  const page = await open("diff.html", "flame");
  await page.waitForSelector("g[data-i]");
  const [before, now] = ["old.inmem", "new.inmem"].map(
    (trace) => JSON.parse(inmem("report", "--no-symbols", "--format", "json", trace)).totals.allocated_bytes,
  );
  const [all] = await labelsOf(page);
  assert.ok(all.includes(`${(before / 1024).toFixed(0)} KiB before, ${mib(now)} now, +${mib(now - before)}`), all);
  const fills = await page.$$eval("g[data-i] rect", (rects) => new Set(rects.map((r) => r.getAttribute("fill"))).size);
  assert.ok(fills > 2, `${fills} colours`);
  const boxes = await page.$$eval("g[data-i]", (gs) =>
    gs.map((g) => ({ text: g.getAttribute("aria-label"), fill: g.querySelector("rect").getAttribute("fill") })),
  );
  for (const { text, fill } of boxes) {
    const more = /, \+[\d.]/.test(text);
    const less = /, -[\d.]/.test(text);
    if (fill.startsWith("hsl(8 ")) assert.ok(more, text);
    if (fill.startsWith("hsl(214 ")) assert.ok(less, text);
  }
  await page.click("text=One run");
  await page.waitForFunction(() => /both=0/.test(location.hash));
  await settled(page);
  assert.ok(!(await labelsOf(page))[0].includes("before"));
  // Both are on the time line.
  await go(page, "time");
  assert.ok((await page.locator(".legend .name").allTextContents()).includes("old.inmem"));
  assert.deepEqual(page.complaints, []);
}

export async function legendReadsAMoment({ open }) {
  const page = await open("new.html", "time");
  assert.deepEqual(new Set(await page.locator(".legend .value").allTextContents()), new Set([""]));
  const plot = await page.locator("main .u-over").boundingBox();
  await page.mouse.move(plot.x + plot.width * 0.5, plot.y + 60);
  await page.waitForFunction(() => /^At .* alive$/.test(document.querySelector(".moment").textContent));
  const { total, values } = await page.evaluate(() => ({
    total: document.querySelector(".moment").textContent,
    values: [...document.querySelectorAll(".legend .value")].map((v) => v.textContent),
  }));
  assert.ok(
    values.every((v) => /^[\d.]+ ([KM]i)?B$/.test(v)),
    values.join(),
  );
  assert.match(total, /: [\d.]+ KiB alive/);
  assert.deepEqual(page.complaints, []);
}

/** On paper all rows are there, and nothing covers another. */
export async function paperHasAllRows({ assemble, inmem, open, work }) {
  const lines = Array.from({ length: 60 }, (_, i) => i + 1);
  const text = `header state=complete flags=instrumented ticks-per-second=1000000000 clock=exact live-bytes=0 peak-live-bytes=90000
extent meta
  process "./rows"
  thread index=1
  note kind=labels text="service=web"
  module id=2 base=0x1000 path="/bin/app"
${lines.map((i) => `  site id=${i} key=${i} kind=malloc function="f${i}" file="a.cpp" line=${i} rule=language`).join("\n")}
extent rows owner=1
${lines.map((i) => `  row site=${i} allocations=1 bytes=${i} frees=1 freed-bytes=${i}`).join("\n")}
`;
  writeFileSync(join(work, "rows.trace"), text);
  assemble("rows.inmem", "rows.trace");
  inmem("html", "--no-symbols", "-o", "rows.html", "rows.inmem");
  const page = await open("rows.html", "sites");
  assert.deepEqual(await page.locator(".labels li").allTextContents(), ["service=web"]);
  const rows = Number(await page.getAttribute("[role=grid]", "aria-rowcount")) - 1;
  assert.ok(rows > 24 && (await page.locator(".body .tr").count()) < rows, `${rows} rows`);
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction((all) => document.querySelectorAll(".body .tr").length === all, rows);
  const tops = await page.$$eval(".body .tr", (all) =>
    all.map((r) => r.getBoundingClientRect()).map((b) => [b.top, b.bottom]),
  );
  for (let i = 1; i < tops.length; i++) assert.ok(tops[i][0] >= tops[i - 1][1] - 1, `row ${i}`);
  await page.emulateMedia({ media: "screen" });
  await page.waitForFunction((all) => document.querySelectorAll(".body .tr").length < all, rows);
  assert.equal(await page.locator("nav").isVisible(), true);
  assert.deepEqual(page.complaints, []);
}
