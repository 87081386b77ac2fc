// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every page, light and dark, wide and narrow: no complaint, nothing wider than the window,
// nothing that axe objects to, and about the picture that it was.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { violations } from "./axe.mjs";

const golden = join(dirname(fileURLToPath(import.meta.url)), "golden");

const pages = [
  "findings",
  "time",
  "types",
  "type?t=3",
  "sites",
  "lifetimes",
  "flame",
  "flame?shape=butterfly&fn=2",
  "threads",
  "leaks",
  "objects",
  "source",
  "diff",
];

/** Mean brightness of squares of 32 pixels: fonts may differ, layout may not. */
async function squares(page, picture) {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send("Runtime.evaluate", {
    expression: `(async () => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(picture.toString("base64"))}), c => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes]));
      const [w, h] = [Math.floor(image.width / 32), Math.floor(image.height / 32)];
      const canvas = new OffscreenCanvas(image.width, image.height);
      const pen = canvas.getContext("2d");
      pen.drawImage(image, 0, 0);
      const data = pen.getImageData(0, 0, image.width, image.height).data;
      const out = new Array(w * h).fill(0);
      for (let y = 0; y < h * 32; y++) for (let x = 0; x < w * 32; x++) {
        const i = (y * image.width + x) * 4;
        out[(y >> 5) * w + (x >> 5)] += (data[i] + data[i + 1] + data[i + 2]) / 3072;
      }
      return JSON.stringify({ w, out: out.map(v => Math.round(v)) });
    })()`,
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}

function compare(name, found) {
  const file = join(golden, `${name}.json`);
  if (process.env.INMEM_UPDATE_GOLDEN) {
    mkdirSync(golden, { recursive: true });
    const rows = [];
    for (let i = 0; i < found.out.length; i += found.w) rows.push(JSON.stringify(found.out.slice(i, i + found.w)));
    writeFileSync(file, `[\n${rows.join(",\n")}\n]\n`);
    return;
  }
  assert.ok(existsSync(file), `${file} is missing: INMEM_UPDATE_GOLDEN=1 writes it`);
  const expected = JSON.parse(readFileSync(file, "utf8")).flat();
  assert.equal(found.out.length, expected.length, name);
  const far = expected.filter((v, i) => Math.abs(v - found.out[i]) > 24).length;
  assert.ok(far <= expected.length * 0.04, `${name}: ${far} of ${expected.length} squares look different`);
}

async function look(context, options, mode) {
  for (const hash of pages) {
    const page = await context.open(hash === "diff" ? "diff.html" : "new.html", hash, options);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${hash}, ${mode}: ${wide} pixels too wide`);
    // Titles of columns, files and lines are whole; paths have no detours.
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll(".head button, .body .place .file")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.textContent.includes("/../"))
        .map((e) => e.textContent),
    );
    if (mode !== "phone") assert.deepEqual(cut, [], `${hash}, ${mode}`);
    assert.equal(await page.locator("h1").count(), 1, hash);
    const name = hash.replace(/\W+/g, "-");
    const picture = await page.screenshot({ path: join(context.work, `${mode}-${name}.png`) });
    if (mode === "light") compare(name, await squares(page, picture));
    assert.deepEqual(await violations(page), [], `${hash}, ${mode}`);
    assert.deepEqual(page.complaints, [], hash);
    await page.context().close();
  }
}

export const light = (context) => look(context, {}, "light");
export const dark = (context) => look(context, { dark: true }, "dark");
export const narrow = (context) => look(context, { width: 800, height: 700 }, "narrow");
export const phone = (context) => look(context, { width: 390, height: 800 }, "phone");

export async function printed({ open }) {
  const page = await open("new.html", "types");
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.ok((await page.locator(".body .tr").count()) > 5);
}
