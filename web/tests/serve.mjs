// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `inmem serve` in the browser: the list, a trace, two of them, one that grows.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";

export async function listAndCompare({ browser, work, program }) {
  const folder = join(work, "traces");
  mkdirSync(folder, { recursive: true });
  for (const name of ["old.inmem", "new.inmem"]) copyFileSync(join(work, name), join(folder, name));
  const server = spawn(program, ["serve", "--no-symbols", folder]);
  const ended = new Promise((done) => server.on("exit", done));
  try {
    const url = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
    const page = await (await browser.newContext()).newPage();
    const complaints = [];
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(e.stack));
    page.setDefaultTimeout(10000);
    await page.goto(url);
    await page.waitForSelector("h1 >> text=Traces");
    assert.equal(await page.locator("tbody tr").count(), 2);
    assert.deepEqual(await violations(page), []);
    await page.click("a >> text=new.inmem");
    await page.waitForSelector("h1 >> text=Findings");
    await page.goBack();
    for (const name of ["old.inmem", "new.inmem"]) await page.check(`input[value="${name}"]`);
    await page.click("text=Compare two");
    await page.waitForSelector("button >> text=Old:");
    await page.click("nav >> text=Difference");
    await page.waitForSelector(".body .tr");
    assert.deepEqual(
      complaints.filter((c) => !c.includes("favicon")),
      [],
    );
  } finally {
    server.kill("SIGINT");
  }
  assert.equal(await ended, 0);
}
