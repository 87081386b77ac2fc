// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `inmem serve` next to a program that runs, which INMEM_WEB_LIVE names: lit-tests/web/live.cpp.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { served } from "./served.mjs";

const program = process.env.INMEM_WEB_LIVE;

/** A program that takes a step for each line that it is given. */
function startProgram(options) {
  const child = spawn(program, [], {
    env: { ...process.env, INMEM_OPTIONS: options },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let isThere = true;
  const ended = new Promise((done) => child.on("exit", done)).finally(() => {
    isThere = false;
  });
  let lines = 0;
  child.stdout.on("data", (text) => {
    lines += String(text).split("\n").length - 1;
  });
  const stepped = async (wanted) => {
    while (lines < wanted) {
      assert.ok(isThere, "the program runs");
      await new Promise((later) => setTimeout(later, 10));
    }
  };
  return { child, ended, stepped };
}

export async function aProgramThatRuns(context) {
  if (!program) return;
  const folder = join(context.work, "live");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(context.work, "new.inmem"), join(folder, "new.inmem"));
  const app = startProgram(`output=${join(folder, "app.inmem")}:labels=service=web,change=13`);
  await app.stepped(1);
  try {
    await served(context, folder, async (page) => {
      const grid = page.locator("[role=grid][aria-label=traces]");
      const row = grid.locator(".body .tr", { hasText: "app.inmem" });
      await row.waitFor();
      assert.match(await row.textContent(), /running.*service=web, change=13/);
      // By time, label and build: each column sorts, and the search looks at all of them.
      const first = () => grid.locator(".body .tr a").first().textContent();
      assert.equal(await first(), "app.inmem");
      await page.click("[role=columnheader] >> text=labels");
      assert.equal(await first(), "new.inmem");
      await page.click("[role=columnheader] >> text=build");
      await page.click("[role=columnheader] >> text=build");
      assert.equal(await first(), "app.inmem");
      const build = await row.locator("code").textContent();
      assert.match(build, /^[0-9a-f]{12}$/);
      for (const [wanted, rows] of [
        ["service=web", 1],
        [build, 1],
        ["nothing of the kind", 0],
      ]) {
        await page.fill("input[type=search]", wanted);
        await page.waitForFunction((n) => document.querySelectorAll(".body .tr").length === n, rows);
      }
      await page.fill("input[type=search]", "");
      await page.click("a >> text=app.inmem");
      await page.waitForSelector("header .running");
      await page.click("nav >> text=Types");
      const blocks = (count) =>
        page.waitForSelector(`.body .tr:has-text("Session") [role=gridcell][title="${count}"]`, { state: "attached" });
      await blocks(1000);
      app.child.stdin.write("+\n");
      await blocks(2000);
      assert.equal(await page.locator("nav >> text=Heap").count(), 0);
      app.child.stdin.write("s\n");
      await page.click("nav >> text=Heap");
      await page.waitForSelector('.body .tr:has-text("Session")');
      app.child.stdin.write("+\n");
      await page.click("nav >> text=Types");
      await blocks(3000);
      app.child.stdin.end();
      assert.equal(await app.ended, 0);
      await page.waitForSelector("header .running", { state: "detached" });
      assert.deepEqual(await violations(page), []);
    });
  } finally {
    app.child.kill();
  }
}

/** A snapshot is shown if it is a file of the folder, not what a link leads to. */
export async function snapshotsOfTheFolder(context) {
  if (!program) return;
  const folder = join(context.work, "links");
  mkdirSync(folder, { recursive: true });
  const app = startProgram(`output=${join(folder, "app.inmem")}:snapshot=exit`);
  app.child.stdin.end();
  await app.ended;
  const other = join(context.work, "linked");
  mkdirSync(other, { recursive: true });
  copyFileSync(join(folder, "app.inmem"), join(other, "app.inmem"));
  symlinkSync(join(folder, "app.heap"), join(other, "app.heap"));
  for (const [where, links] of [
    [folder, 1],
    [other, 0],
  ])
    await served(context, where, async (page) => {
      await page.click("a >> text=app.inmem");
      await page.waitForSelector("h1 >> text=Findings");
      assert.equal(await page.locator("nav >> text=Heap").count(), links);
    });
}

/** A snapshot from an earlier run is not shown for the trace that has taken its name. */
export async function snapshotsOfEarlierRuns(context) {
  if (!program) return;
  const folder = join(context.work, "earlier");
  mkdirSync(folder, { recursive: true });
  const run = async (options) => {
    const app = startProgram(`output=${join(folder, "app.inmem")}${options}`);
    app.child.stdin.end();
    assert.equal(await app.ended, 0);
  };
  await run(":snapshot=exit");
  await served(context, folder, async (page) => {
    await page.click("a >> text=app.inmem");
    await page.waitForSelector("nav >> text=Heap");
    await run("");
    await page.reload();
    await page.waitForSelector("h1 >> text=Findings");
    assert.equal(await page.locator("nav >> text=Heap").count(), 0);
  });
}
