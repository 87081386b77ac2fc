// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all.mjs --inmem PROGRAM --chromium PROGRAM --inputs DIR --work DIR [GROUP|TEST...]: the page in
// a real browser. Makes pages of the traces in DIR (lit-tests/pictures/Inputs) and looks at
// them; prints a line for each test, and ends with 1 if one failed. INMEM_ASSEMBLE names the
// program that makes a trace of its text (build/lit-tests/inmem-assemble).
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import * as build from "./build.mjs";
import * as clicks from "./clicks.mjs";
import * as hostile from "./hostile.mjs";
import * as large from "./large.mjs";
import * as live from "./live.mjs";
import * as looks from "./looks.mjs";
import * as numbers from "./numbers.mjs";
import * as run from "./run.mjs";
import * as serve from "./serve.mjs";
import { settled } from "./settled.mjs";
import * as tabs from "./tabs.mjs";
import * as views from "./views.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    inmem: { type: "string" },
    chromium: { type: "string" },
    inputs: { type: "string" },
    work: { type: "string" },
  },
});
const work = resolve(values.work);
mkdirSync(work, { recursive: true });
const inmem = (...words) =>
  execFileSync(resolve(values.inmem), words, {
    cwd: work,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
/** Makes a trace of its text. */
const assemble = (trace, text) =>
  execFileSync(process.env.INMEM_ASSEMBLE, ["-o", trace, text], { cwd: work, stdio: ["ignore", "inherit", "inherit"] });

for (const [name, source] of [
  ["old", "shop-old"],
  ["new", "shop-new"],
  ["odd", "odd-names"],
])
  assemble(`${name}.inmem`, join(resolve(values.inputs), `${source}.trace`));
mkdirSync(join(work, "src"), { recursive: true });
writeFileSync(
  join(work, "src", "shop.cpp"),
  Array.from({ length: 120 }, (_, i) => `line ${i + 1} of the shop`).join("\n"),
);
inmem("html", "--no-symbols", "-o", "new.html", "new.inmem");
inmem("html", "--no-symbols", "--diff", "old.inmem", "new.inmem", "-o", "diff.html");
inmem("html", "--no-symbols", "-o", "odd.html", "odd.inmem");

const browser = await chromium.launch({ executablePath: values.chromium, args: ["--no-sandbox", "--disable-gpu"] });

/** A page at a part of the application, ready and settled; what it complains about is kept. */
async function open(file, hash = "", options = {}) {
  const { width = 1280, height = 900, dark = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(1800000); // for what never comes: a busy machine is slow
  page.complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(e.stack ?? e.message));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.complaints.push(`asked for ${r.url()}`));
  await page.goto(`file://${join(work, file)}#${hash}`);
  await page.waitForSelector("html[data-ready]");
  const ready = await page.getAttribute("html", "data-ready");
  if (ready !== "yes") throw new Error(await page.textContent("#app"));
  await settled(page);
  return page;
}

const context = { program: resolve(values.inmem), inmem, assemble, work, browser, open };
let failed = 0;
for (const [group, module] of Object.entries({
  build,
  numbers,
  clicks,
  views,
  looks,
  hostile,
  large,
  serve,
  live,
  run,
  tabs,
}))
  for (const [name, test] of Object.entries(module)) {
    if (positionals.length > 0 && !positionals.includes(name) && !positionals.includes(group)) continue;
    const start = process.hrtime.bigint();
    try {
      await test(context);
      console.log(`ok ${name} (${Number((process.hrtime.bigint() - start) / 1000000n)} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}: ${error.stack}`);
    }
    for (const each of browser.contexts()) await each.close();
  }
await browser.close();
process.exit(failed > 0 ? 1 : 0);
