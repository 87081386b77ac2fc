// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `inmem serve` in the browser: the list, a trace, two of them; live.mjs has one that grows.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { served } from "./served.mjs";

export async function listAndCompare(context) {
  const folder = join(context.work, "traces");
  mkdirSync(folder, { recursive: true });
  for (const name of ["old.inmem", "new.inmem"]) copyFileSync(join(context.work, name), join(folder, name));
  await served(context, folder, async (page) => {
    assert.equal(await page.locator(".body .tr").count(), 2);
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: join(context.work, "list.png") });
    await page.click("a >> text=new.inmem");
    await page.waitForSelector("h1 >> text=Findings");
    await page.goBack();
    const two = page.locator("button >> text=Compare two");
    assert.equal(await two.isDisabled(), true);
    for (const name of ["new.inmem", "old.inmem"]) await page.check(`input[value="${name}"]`);
    await two.click();
    await page.waitForSelector("button >> text=Old:");
    await page.click("nav >> text=Difference");
    await page.waitForSelector(".body .tr");
  });
}
