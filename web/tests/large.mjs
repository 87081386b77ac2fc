// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data of a long run: it opens soon and answers immediately. INMEM_WEB_STACKS is its size. Times
// are the page's own and, since machines are shared, the best of three; a limit is three
// times the aim.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigPage } from "./big.mjs";

const stacks = Number(process.env.INMEM_WEB_STACKS ?? 100000);
const aims = { open: 2000, click: 100, memory: 700 };
const slack = 3;

export async function answersAtOnce({ work, open }) {
  const data = bigPage({ stacks, sites: Math.ceil(stacks / 10), types: 2000, parts: 60 });
  const template = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "page.html"), "utf8");
  const script = `<script type="application/octet-stream" id="inmem-data">${data.toString("base64")}</script>`;
  writeFileSync(
    join(work, "big.html"),
    template.replace("<!--INMEM-DATA-->", () => script),
  );
  // The best of three: what else runs on the machine costs time, never saves it.
  let opened = Number.POSITIVE_INFINITY;
  let page;
  for (let i = 0; i < 3 && opened > aims.open; i++) {
    await page?.context().close();
    const start = performance.now();
    page = await open("big.html", "types");
    opened = Math.min(opened, performance.now() - start);
  }
  const times = [`open ${Math.round(opened)}`];
  assert.ok(opened < aims.open * slack, `opened in ${opened} ms`);
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
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3 && best > aims.click; i++) {
      await visit("objects");
      best = Math.min(best, await visit(i === 0 ? hash : hash.replace("from=10", `from=${10 + i}`)));
    }
    times.push(`${hash} ${Math.round(best)}`);
    assert.ok(best < aims.click * slack, `${hash} took ${best} ms`);
  }
  const memory = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
  times.push(`${Math.round(memory)} MB`);
  assert.ok(memory < aims.memory, `${memory} MB`);
  console.log(`   ${stacks} stacks, ${data.length} bytes: ${times.join(", ")}`);
  assert.deepEqual(page.complaints, []);
}
