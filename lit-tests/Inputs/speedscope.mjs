// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a profile in speedscope, in a real browser, and prints the rows of its table of frames: "self total name".
//
//   speedscope.mjs --chromium PROGRAM --modules DIR --speedscope DIR [--screenshot FILE] FILE
//
// DIR of --modules has playwright-core in its node_modules, that of --speedscope is the npm package. Exit code 1: it is not opened.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(["chromium", "modules", "screenshot", "speedscope"].map((name) => [name, { type: "string" }])),
});
const [file] = positionals;
const require = createRequire(join(resolve(values.modules), "package.json"));
const { chromium } = require("playwright-core");
const page = join(resolve(values.speedscope), "dist", "release");
const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  const from = path === `/of/${basename(file)}` ? file : join(page, path === "/" ? "index.html" : path);
  try {
    const body = readFileSync(from);
    response.writeHead(200, { "content-type": kinds[extname(from)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, "127.0.0.1");
await new Promise((ready) => server.once("listening", ready));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: values.chromium,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const complaints = [];
  tab.on("pageerror", (error) => complaints.push(String(error)));
  tab.on("dialog", async (dialog) => {
    complaints.push(dialog.message());
    await dialog.dismiss();
  });
  await tab.goto(`${origin}/#profileURL=${encodeURIComponent(`/of/${basename(file)}`)}&view=sandwich`);
  await tab.waitForFunction(() => document.querySelectorAll("table tr").length > 2 || document.body.innerText.includes("Something went wrong"), null, { timeout: 120_000 });
  if (values.screenshot) await tab.screenshot({ path: values.screenshot });
  assert.deepEqual(complaints, []);
  const rows = await tab.evaluate(() =>
    [...document.querySelectorAll("table tr")].map((row) => [...row.cells].map((cell) => cell.innerText.trim()).join("\t")),
  );
  console.log(rows.join("\n"));
} finally {
  await browser.close();
  server.close();
}
