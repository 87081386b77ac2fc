// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of `inmem serve` share.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

/** Looks at a folder with `inmem serve`, from the list of its traces on; nothing may be complained about. */
export async function served({ browser, program }, folder, look) {
  const server = spawn(program, ["serve", "--no-symbols", folder]);
  const ended = new Promise((done) => server.on("exit", done));
  try {
    const url = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
    const page = await (await browser.newContext()).newPage();
    const complaints = [];
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(e.stack));
    page.setDefaultTimeout(1800000); // for what never comes: a busy machine is slow
    await page.goto(url);
    await page.waitForSelector("h1 >> text=Traces");
    await look(page);
    await page.context().close();
    assert.deepEqual(
      complaints.filter((c) => !c.includes("favicon")),
      [],
    );
  } finally {
    server.kill("SIGINT");
  }
  assert.equal(await ended, 0);
}
