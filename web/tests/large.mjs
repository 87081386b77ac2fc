// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data of a long run: a page of it has few elements, whatever the number of rows, and takes little
// memory. INMEM_WEB_STACKS is its size. Times are printed, not judged, since they depend on the machine.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigPage } from "./big.mjs";

const stacks = Number(process.env.INMEM_WEB_STACKS ?? 100000);
const most = { elements: 6000, memory: 700 };

export async function answersAtOnce({ work, open }) {
  const data = bigPage({ stacks, sites: Math.ceil(stacks / 10), types: 2000, parts: 60 });
  const template = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "page.html"), "utf8");
  const script = `<script type="application/octet-stream" id="inmem-data">${data.toString("base64")}</script>`;
  writeFileSync(
    join(work, "big.html"),
    template.replace("<!--INMEM-DATA-->", () => script),
  );
  const start = performance.now();
  const page = await open("big.html", "types");
  const seen = [`open ${Math.round(performance.now() - start)} ms`];
  const visit = (hash) =>
    page.evaluate(async (to) => {
      const begin = performance.now();
      location.hash = to;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      return performance.now() - begin;
    }, hash);
  for (const hash of [
    "sites",
    "sites?sort=function+up",
    "sites?q=class12",
    "flame",
    "flame?shape=bottom-up",
    "flame?shape=butterfly&fn=50",
    "lifetimes",
    "leaks",
    "types?from=10&to=20",
    "flame?from=10&to=20",
    "type?t=5",
  ]) {
    await visit("objects");
    const took = await visit(hash);
    const elements = await page.locator("*").count();
    seen.push(`${hash} ${Math.round(took)} ms, ${elements} elements`);
    assert.ok(elements < most.elements, `${hash} has ${elements} elements`);
  }
  const memory = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
  seen.push(`${Math.round(memory)} MB`);
  assert.ok(memory < most.memory, `${memory} MB`);
  console.log(`   ${stacks} stacks, ${data.length} bytes: ${seen.join(", ")}`);
  assert.deepEqual(page.complaints, []);
}
