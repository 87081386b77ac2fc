// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tab of a run that fills them all, in four widths, light and dark, and printed. INMEM_WEB_RUN is its trace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { violations } from "./axe.mjs";

const trace = process.env.INMEM_WEB_RUN;
const widths = [1440, 1024, 700, 390];

/** The tabs, and pages without one. */
async function hashes({ inmem, open }) {
  inmem("html", "-o", "tabs.html", trace);
  const page = await open("tabs.html");
  const tabs = await page.$$eval("nav a", (all) => all.map((a) => a.href.replace(/.*#/, "")));
  await page.context().close();
  for (const tab of ["findings", "time", "profile", "heap", "resident"]) assert.ok(tabs.includes(tab), `${tabs}`);
  return [...tabs, "type?t=0", "flame?shape=butterfly&fn=1"];
}

async function tabsIn(context, dark) {
  if (!trace) return;
  for (const hash of await hashes(context))
    for (const width of widths) {
      const page = await context.open("tabs.html", hash, { width, dark });
      const name = `${hash}, ${width}${dark ? ", dark" : ""}`;
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name}: ${wide} pixels too wide`);
      // The open tab is in sight, and of each table the figures that sort it.
      const away = await page.evaluate(() =>
        [...document.querySelectorAll("nav [aria-current], [role=columnheader][aria-sort$=ending]")]
          .filter((e) => {
            const { left, right } = e.getBoundingClientRect();
            return left < 0 || right > innerWidth + 1;
          })
          .map((e) => e.textContent),
      );
      assert.deepEqual(away, [], name);
      assert.equal(await page.locator("h1").count(), 1, name);
      const file = `${hash.replace(/\W+/g, "-")}-${width}${dark ? "-dark" : ""}.png`;
      await page.screenshot({ path: join(context.work, file), fullPage: true });
      assert.deepEqual(await violations(page), [], name);
      assert.deepEqual(page.complaints, [], name);
      await page.context().close();
    }
}

export const everyTabLight = (context) => tabsIn(context, false);
export const everyTabDark = (context) => tabsIn(context, true);

/** Paper is narrower than the window for which pictures were drawn. */
export async function everyTabPrinted(context) {
  if (!trace) return;
  for (const hash of await hashes(context)) {
    const page = await context.open("tabs.html", hash, { width: 1440 });
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 760, height: 1000 });
    await page.waitForFunction(() => [...document.querySelectorAll(".scroll")].every((e) => !e.style.maxHeight));
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll("main svg:not(svg svg), main canvas, main table, main .tr")]
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => `${e.tagName} ${e.getAttribute("class")} ${e.getBoundingClientRect().right}`),
    );
    assert.deepEqual(cut, [], hash);
    await page.pdf({ path: join(context.work, `${hash.replace(/\W+/g, "-")}.pdf`), format: "A4" });
    await page.context().close();
  }
}
