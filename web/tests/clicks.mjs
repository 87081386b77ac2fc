// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people do: sort, filter, brush, zoom, search, compare, save, and all of it by keyboard.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { settled } from "./settled.mjs";

const names = (page) => page.$$eval(".body .tr [role=gridcell]:first-child", (all) => all.map((c) => c.textContent));
const column = (page, title) =>
  page.evaluate((wanted) => {
    const heads = [...document.querySelectorAll("[role=columnheader]")].map((h) => h.textContent.replace(/ [▾▴]/, ""));
    const at = heads.indexOf(wanted);
    return [...document.querySelectorAll(".body .tr")].map((r) => Number(r.children[at].title));
  }, title);

export async function sortAndFilter({ open }) {
  const page = await open("new.html", "types");
  const before = await names(page);
  await page.click("[role=columnheader] >> text=blocks");
  const blocks = await column(page, "blocks");
  assert.deepEqual(
    blocks,
    [...blocks].sort((a, b) => b - a),
  );
  await page.click("[role=columnheader] >> text=blocks");
  assert.equal(await page.getAttribute("[role=columnheader]:has-text('blocks')", "aria-sort"), "ascending");
  await page.fill("input[type=search]", "price");
  await page.waitForFunction(() => document.querySelector(".tools [role=status]").textContent.includes(" of "));
  const found = await names(page);
  assert.ok(found.length > 0 && found.length < before.length && found.every((n) => /price/i.test(n)));
  // The link keeps it.
  const again = await page.context().newPage();
  await again.goto(page.url());
  await again.waitForSelector("html[data-ready=yes]");
  assert.deepEqual(await names(again), found);
  assert.deepEqual(page.complaints, []);
}

export async function brushFiltersEverything({ open }) {
  const page = await open("new.html", "types");
  const whole = (await column(page, "blocks")).reduce((a, b) => a + b, 0);
  const plot = await page.locator("aside .u-over").boundingBox();
  await page.mouse.move(plot.x + plot.width * 0.2, plot.y + 10);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.9, plot.y + 12, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => /from=/.test(location.hash));
  await settled(page);
  const part = (await column(page, "blocks")).reduce((a, b) => a + b, 0);
  assert.ok(part < whole, `${part} of ${whole}`);
  for (const other of ["Sites", "Lifetimes", "Stacks", "Threads", "Still alive", "Findings"]) {
    await page.click(`nav >> text="${other}"`);
    await page.waitForSelector(`nav [aria-current=page] >> text="${other}"`);
    await settled(page);
    assert.equal(await page.locator(".filters button").count(), 1, other);
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !/from=/.test(location.hash));
  await settled(page);
  // By keyboard, with the two sliders.
  await page.focus(".brush input >> nth=0");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => /from=1/.test(location.hash));
  assert.deepEqual(page.complaints, []);
}

export async function flameZoomsAndSearches({ open }) {
  const page = await open("new.html", "flame");
  await page.waitForSelector("g[data-i]");
  const boxes = await page.locator("g[data-i]").count();
  await page.click("g[data-i]:has-text('serve') rect");
  await page.waitForFunction(() => /zoom=/.test(location.hash));
  await settled(page);
  assert.ok((await page.locator("g[data-i]").count()) !== boxes);
  await page.click("text=Zoom out");
  await page.fill(".search input", "serve");
  await page.waitForSelector("g.hit");
  assert.match(await page.textContent(".told"), /marked: \d/);
  const top = (sel) => page.locator(sel).first().boundingBox();
  const above = (await top("g[data-i='1'] rect")).y < (await top("g[data-i='0'] rect")).y;
  assert.ok(above, "callers at the bottom");
  await page.click("text=Invert");
  await page.waitForFunction(() => /invert=1/.test(location.hash));
  await settled(page);
  assert.ok((await top("g[data-i='1'] rect")).y > (await top("g[data-i='0'] rect")).y);
  for (const shape of ["Icicle", "Bottom-up"])
    for (const metric of ["Blocks", "Live", "Peak", "Lifetimes", "Bytes"]) {
      await page.click(`button:text-is("${shape}")`);
      await page.click(`button:text-is("${metric}")`);
      await page.waitForFunction((s) => document.querySelector("[aria-pressed=true]")?.textContent === s, shape);
      await page.waitForSelector("g[data-i='0']");
    }
  await page.click('button:text-is("Butterfly")');
  await page.click(".body .tr:has-text('serve')");
  await page.waitForSelector("h3 >> text=Callers");
  await page.waitForFunction(() => document.querySelectorAll("svg.picture").length === 2);
  assert.ok((await page.locator("svg.picture >> nth=1 >> g[data-i]").count()) > 3);
  assert.deepEqual(page.complaints, []);
}

/** Every box's value is the sum of those above it and its own. */
export async function flameAddsUp({ open, inmem }) {
  const page = await open("new.html", "flame?shape=icicle");
  await page.waitForSelector("g[data-i]");
  const total = JSON.parse(inmem("report", "--format", "json", "new.inmem")).totals.allocated_bytes;
  const label = await page.getAttribute("g[data-i='0']", "aria-label");
  const shown = await page.evaluate(() => document.querySelector("g[data-i='0'] rect").getBoundingClientRect().width);
  const next = await page.$$eval("g[aria-level='2'] rect", (all) => all.map((r) => r.getBoundingClientRect().width));
  assert.ok(Math.abs(next.reduce((a, b) => a + b, 0) - shown) < next.length * 2 + 4);
  assert.ok(label.includes("100 %"), label);
  const mib = (total / 1048576).toFixed(1);
  assert.ok(label.includes(`${mib} MiB`), `${label} against ${total}`);
}

export async function keyboardAlone({ open }) {
  const page = await open("new.html", "findings");
  const press = async (key) => {
    await page.keyboard.press(key);
    await settled(page);
  };
  await press("3");
  await page.waitForFunction(() => location.hash.startsWith("#types"));
  await page.waitForSelector(".body .tr");
  await press("/");
  await page.keyboard.type("string");
  await page.waitForFunction(() => /q=string/.test(location.hash));
  await settled(page);
  await page.focus(".scroll");
  await press("ArrowDown");
  const at = await page.getAttribute(".scroll", "aria-activedescendant");
  assert.match(at, /-1$/);
  await press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#type?"));
  await press("6");
  await page.waitForSelector("h1 >> text=/stacks|functions/");
  await page.waitForSelector("svg.picture");
  // A page that is opened takes the focus.
  await page.waitForFunction(() => location.hash.startsWith("#flame") && document.activeElement?.id === "main");
  await page.focus("svg.picture");
  await press("ArrowUp");
  await press("Enter");
  await page.waitForFunction(() => /zoom=n/.test(location.hash));
  await press("?");
  await page.waitForSelector("dialog[open]");
  await press("Escape");
  await page.goBack();
  await page.waitForFunction(() => !/zoom=/.test(location.hash));
  assert.deepEqual(page.complaints, []);
}

export async function difference({ open, inmem }) {
  const page = await open("diff.html", "diff");
  const diff = JSON.parse(inmem("diff", "--format", "json", "--by", "type", "old.inmem", "new.inmem"));
  const changed = await column(page, "allocated, change");
  assert.deepEqual(
    changed,
    diff.types.map((t) => (t.new?.allocated_bytes ?? 0) - (t.old?.allocated_bytes ?? 0)).sort((a, b) => b - a),
  );
  await page.click("text=By site");
  await page.waitForSelector("[role=columnheader] >> text=where");
  await page.click("text=Swap");
  await page.waitForFunction(() => /a=1/.test(location.hash));
  // Two parts of one run.
  await page.goto(page.url().replace(/#.*/, "#diff?side=1&from=0&to=2&a=1:0-1&b=1:1-3"));
  await page.waitForFunction(() => document.querySelector(".sides dd").textContent.includes("–"));
  assert.ok((await page.locator(".body .tr").count()) > 2);
  await page.click('button:text-is("Old: old.inmem")');
  await page.waitForFunction(() => /side=0/.test(location.hash));
  assert.deepEqual(page.complaints, []);
}

export async function sourceAndType({ open }) {
  const page = await open("new.html", "findings");
  await page.click(".finding .at a:has-text('src/shop.cpp')");
  await page.waitForSelector(".source tr.at.cost");
  assert.match(await page.textContent(".source tr.at"), /of the shop/);
  await page.click(".source tr.at .types a >> nth=0");
  await page.waitForFunction(() => location.hash.startsWith("#type?"));
  await page.goto(page.url().replace(/#.*/, "#objects"));
  await page.click(".body .tr a >> text=shop::Order");
  await page.waitForSelector("svg.layout");
  assert.ok((await page.locator("svg.layout rect.field").count()) >= 1);
  assert.deepEqual(page.complaints, []);
}

/** Without a line in the link, the line that allocated most is in sight. */
export async function sourceOpensAtTheDearestLine({ open }) {
  const page = await open("new.html", "source?file=src/shop.cpp");
  await page.setViewportSize({ width: 900, height: 400 });
  await page.waitForSelector(".source tr.dearest");
  const cost = await page.$$eval(".source tr.cost", (rows) =>
    rows.map((r) => ({
      share: Number.parseFloat(r.children[1].title.replace("<", "")),
      is: r.classList.contains("dearest"),
    })),
  );
  assert.ok(cost.length > 1);
  const [dearest] = cost.filter((c) => c.is);
  assert.equal(dearest.share, Math.max(...cost.map((c) => c.share)));
  await page.reload();
  await page.waitForSelector(".source tr.dearest");
  await settled(page);
  const seen = (selector) =>
    page.locator(selector).evaluate((row) => {
      const box = row.closest(".source").getBoundingClientRect();
      const { top, bottom } = row.getBoundingClientRect();
      return top >= Math.max(box.top, 0) && bottom <= Math.min(box.bottom, innerHeight);
    });
  assert.ok(await seen(".source tr.dearest"));
  // A line that a link names has precedence.
  await page.goto(page.url().replace(/#.*/, "#source?file=src/shop.cpp&line=119"));
  await page.waitForSelector(".source tr.at");
  await settled(page);
  assert.ok(await seen(".source tr.at"));
  assert.deepEqual(page.complaints, []);
}

export async function saves({ open, inmem }) {
  const page = await open("new.html", "types?cols=type bytes");
  const save = async (from, button) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(from).getByRole("button", { name: button, exact: true }).click(),
    ]);
    return readFileSync(await file.path());
  };
  const csv = (await save("main", "CSV")).toString("utf8").trim().split("\r\n");
  const report = JSON.parse(inmem("report", "--no-symbols", "--format", "json", "new.inmem"));
  const rows = report.types.flatMap((t) => t.kinds ?? [t]);
  assert.equal(csv.length, rows.length + 1);
  assert.ok(csv[1].endsWith(`,${Math.max(...rows.map((t) => t.allocated_bytes))}`), csv[1]);
  await page.goto(page.url().replace(/#.*/, "#flame"));
  await page.waitForSelector("g[data-i]");
  const svg = (await save("main", "SVG")).toString("utf8");
  assert.match(svg, /^<svg[^>]*xmlns/);
  assert.match(svg, /serve/);
  assert.deepEqual([...(await save("main", "PNG")).subarray(1, 4)], [...Buffer.from("PNG")]);
  await page.goto(page.url().replace(/#.*/, "#time"));
  await page.waitForSelector(".u-over");
  assert.deepEqual([...(await save("main", "PNG")).subarray(1, 4)], [...Buffer.from("PNG")]);
  // The time line is a canvas: as SVG it is drawn again, one band a name of the legend.
  const drawn = await page.evaluate(
    (text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      return {
        root: parsed.documentElement.tagName,
        bands: [...parsed.querySelectorAll("polygon > title")].map((t) => t.textContent),
      };
    },
    (await save("main", "SVG")).toString("utf8"),
  );
  assert.equal(drawn.root, "svg");
  assert.deepEqual(drawn.bands, await page.locator(".legend .name").allTextContents());
  assert.ok(drawn.bands.length > 1);
  // One type alone fills the height of its drawing.
  await page.goto(page.url().replace(/#.*/, "#time?type=0"));
  await page.waitForFunction(() => document.querySelectorAll(".legend .name").length === 1);
  const points = /<polygon points="([^"]*)"/.exec((await save("main", "SVG")).toString("utf8"))[1];
  assert.equal(Math.min(...points.split(" ").map((p) => Number(p.split(",")[1]))), 10);
  assert.deepEqual(page.complaints, []);
}
