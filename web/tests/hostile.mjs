// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that are markup, that turn the direction of writing, that are very long: text, all
// of them, on every page; and the policy lets nothing else run.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const evil = `</script><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
const hebrew = "\u05e9\u05dc\u05d5\u05dd";
const quoted = (text) => JSON.stringify(text).replaceAll("\u202e", "\\u202e");

/** A trace whose every name is hostile, through the assembler. */
function hostileTrace({ inmem, assemble, work }) {
  const escaped = (text) =>
    [...Buffer.from(text)]
      .map((b) =>
        b < 32 || b === 34 || b === 92 || b > 126 ? `\\x${b.toString(16).padStart(2, "0")}` : String.fromCharCode(b),
      )
      .join("");
  const long = "L".repeat(100000);
  const text = `header state=complete pid=7 parent=6 clock=exact ticks-per-second=1000000000 start-unix-ns=100 end-unix-ns=1100 host="${escaped(evil)}" executable="/bin/odd"
extent meta
  process "${escaped(evil)}"
  thread index=1 tid=70 start=5 name="${escaped(evil)}"
  module id=1 base=0x1000 path="/bin/odd"
  type index=1 id=0x11 size=8 align=8 name="${escaped(evil)}"
  type index=2 id=0x12 size=8 align=8 name="\\xe2\\x80\\xaegnidrawkcab"
  type index=3 id=0x13 size=8 align=8 name="${long}"
  type index=4 id=0x14 size=8 align=8 name="${escaped(hebrew)}"
  site id=1 type=1 key=0x1 kind=new function="${escaped(evil)}" file="${escaped("a</style>.cpp")}" line=3
  site id=2 type=2 key=0x2 kind=new function="\\xff\\xfe" file="b.cpp" line=4
  site id=3 type=3 key=0x3 kind=new function="${long}" file="c.cpp" line=4
  site id=4 type=4 key=0x4 kind=new function="f" file="d.cpp" line=4
extent rows owner=1
  row site=1 type=1 allocations=5 bytes=40 frees=4 freed-bytes=32 timed=4 weighted-timed=4 sum=40 min=10 max=10
    octave 1 2=4/32
  row site=2 type=2 allocations=20 bytes=160
  row site=3 type=3 allocations=2 bytes=16
  row site=4 type=4 allocations=2 bytes=16
`;
  writeFileSync(join(work, "hostile.trace"), text);
  assemble("hostile.inmem", "hostile.trace");
  inmem("html", "--no-symbols", "-o", "hostile.html", "hostile.inmem");
}

export async function namesAreText(context) {
  hostileTrace(context);
  const html = readFileSync(join(context.work, "hostile.html"), "utf8");
  assert.ok(!html.includes("onerror"), "a name reached the markup");
  for (const hash of [
    "findings",
    "types",
    "type?t=0",
    "type?t=1",
    "type?t=2",
    "sites",
    "flame",
    "flame?shape=butterfly&fn=1",
    "threads",
    "leaks",
    "source",
    "lifetimes",
    "diff",
  ]) {
    const page = await context.open("hostile.html", hash);
    assert.notEqual(await page.title(), "taken");
    assert.equal(await page.locator("img").count(), 0, hash);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${hash}: ${wide} pixels too wide`);
    assert.deepEqual(page.complaints, [], quoted(hash));
    await page.context().close();
  }
  const page = await context.open("hostile.html", "types?cols=type");
  const shown = await page.$$eval(".body .tr [role=gridcell]", (all) => all.map((c) => c.title));
  assert.ok(shown.includes(evil));
  assert.ok(shown.includes("\u202egnidrawkcab"));
  // From the right to the left, but where the column begins.
  const indents = await page.$$eval(".body .tr [role=gridcell]", (all) =>
    all.map((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return [cell.title, text.getBoundingClientRect().left - cell.getBoundingClientRect().left];
    }),
  );
  const indent = (name) => indents.find(([title]) => title === name)[1];
  assert.ok(Math.abs(indent(hebrew) - indent("\u202egnidrawkcab")) < 2, JSON.stringify(indents.map(([, at]) => at)));
  const odd = await context.open("odd.html", "types");
  assert.ok((await odd.locator(".body .tr").count()) === 2);
}

export async function policyHolds({ open }) {
  const page = await open("new.html");
  const refused = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken'";
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "body { display: none }";
    document.body.append(style);
    let asked = "refused";
    try {
      await fetch("https://x.y/");
      asked = "allowed";
    } catch {}
    return { title: document.title, display: getComputedStyle(document.body).display, asked };
  });
  assert.notEqual(refused.title, "taken");
  assert.notEqual(refused.display, "none");
  assert.equal(refused.asked, "refused");
}
