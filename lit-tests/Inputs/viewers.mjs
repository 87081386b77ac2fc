// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens exports in the programs that they are for, in a real browser, and holds what those say against the report.
//
//   viewers.mjs --chromium PROGRAM --modules DIR [--perfetto DIR] [--screenshot FILE] KIND FILE REPORT.json
//
// KIND: perfetto, samples or heapgraph (Perfetto's own page, of the folder DIR, with its trace processor), or
// heapsnapshot (DevTools as it comes with the browser). DIR of --modules has playwright-core in its node_modules.
// Exit code 1: a viewer complains, or says something else than the report.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    ["chromium", "modules", "perfetto", "screenshot"].map((name) => [name, { type: "string" }]),
  ),
});
const [kind, file, reportFile] = positionals;
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const { chromium } = createRequire(join(resolve(values.modules), "package.json"))("playwright-core");

const same = (what, found, expected) => {
  assert.deepEqual(found, expected, what);
  console.log(`${what}: ${JSON.stringify(found)}`);
};
/** Rows as [[name, number], ...] in one order. */
const sorted = (rows) => rows.map(([name, value]) => [name, Number(value)]).sort(([a], [b]) => (a < b ? -1 : 1));

/** Allocated bytes by the name that reports call the blocks of sites. */
const byName = (sites) => {
  const sums = new Map();
  for (const { name, allocated_bytes } of sites) sums.set(`type ${name}`, (sums.get(`type ${name}`) ?? 0) + allocated_bytes);
  return [...sums].filter(([, bytes]) => bytes);
};

/** What Perfetto's trace processor makes of a file that its page has opened. */
const perfettoChecks = {
  async perfetto(rows) {
    const { totals } = report;
    const of = "select count(*) n, sum(size) size, sum(count) count from heap_profile_allocation where";
    const [made] = await rows(`${of} size > 0`);
    same("allocated", [Number(made.size), Number(made.count)], [totals.allocated_bytes, totals.allocations]);
    const [freed] = await rows(`${of} size < 0`);
    same("freed", [-Number(freed.size), -Number(freed.count)], [totals.freed_bytes, totals.frees]);
    const types = await rows(`select f.name, sum(a.size) size from heap_profile_allocation a
      join stack_profile_callsite c on a.callsite_id = c.id join stack_profile_frame f on c.frame_id = f.id
      where a.size > 0 group by f.name`);
    same(
      "types",
      sorted(types.map((row) => [row.name, row.size])),
      sorted(byName(report.types.flatMap((row) => row.sites))),
    );
    if (report.timeline) {
      const [last] = await rows(`select value from counter join counter_track t on track_id = t.id
        where t.name = 'live bytes' order by ts desc limit 1`);
      same("live bytes at the end", Number(last.value), totals.live_bytes);
    }
    const [process] = await rows("select pid from process where upid != 0");
    same("process", Number(process.pid), report.processes[0].pid);
  },
  async samples(rows) {
    const { profile } = report;
    const [all] = await rows("select count(*) n from perf_sample where callsite_id is not null");
    same("samples", Number(all.n), profile.unwound);
    // What a thread waits in is its innermost frame.
    const leaves = await rows(`select f.name, p.name caller, count(*) n from perf_sample s
      join stack_profile_callsite c on s.callsite_id = c.id join stack_profile_frame f on c.frame_id = f.id
      left join stack_profile_callsite pc on c.parent_id = pc.id left join stack_profile_frame p on pc.frame_id = p.id
      group by 1, 2`);
    const blocked = leaves.filter((row) => row.name.startsWith("["));
    same("blocked", blocked.reduce((total, row) => total + Number(row.n), 0), profile.blocked);
    const self = new Map();
    for (const row of leaves) {
      const name = row.name.startsWith("[") ? row.caller : row.name;
      if (name) self.set(name, (self.get(name) ?? 0) + Number(row.n));
    }
    // Exports name functions as reports do, without parameters. Which functions were sampled is chance, so names are compared
    // where a regular expression can take the parameters off: not those of templates, operators and lambdas.
    const bare = (name) => name.replace(/\([^()]*\)$/, "");
    const plain = ([name]) => /^[\w:]+$/.test(name);
    const named = profile.functions.filter((row) => row.self).map((row) => [bare(row.function), row.self]);
    const total = (rows) => rows.reduce((sum, [, samples]) => sum + samples, 0);
    if (total([...self]) !== total(named)) console.log("names in the export:", [...self], "in the report:", named);
    same("samples with a function", total([...self]), total(named));
    same("self", sorted([...self].filter(plain)), sorted(named.filter(plain)));
  },
  async heapgraph(rows) {
    const { totals } = report;
    const [all] = await rows(
      "select count(*) n, sum(self_size) size, sum(iif(reachable, self_size, 0)) reachable from heap_graph_object",
    );
    same("objects", Number(all.n), totals.objects);
    same("bytes", Number(all.size), totals.bytes);
    same("reachable bytes", Number(all.reachable), totals.reachable_bytes);
    const types = await rows(`select c.name, count(*) n, sum(o.self_size) size from heap_graph_object o
      join heap_graph_class c on o.type_id = c.id group by c.name`);
    for (const row of report.kinds) {
      const found = types.find((each) => each.name === row.name);
      same(row.name, [Number(found?.n), Number(found?.size)], [row.objects, row.bytes]);
    }
    same("types", types.length, report.kinds.length);
    const [edges] = await rows("select count(*) n from heap_graph_reference where owned_id is not null");
    same("edges", Number(edges.n), totals.edges);
  },
};

/** Serves the files of a folder, and some others by name, on this machine alone, and stops when the work is done. */
async function served(folder, others, work) {
  const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    let content;
    try {
      content = others[path] ?? readFileSync(join(folder, path === "/" ? "index.html" : path));
    } catch {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": kinds[extname(path) || ".html"] ?? "application/octet-stream" }).end(content);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  try {
    await work(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function inPerfetto() {
  const browser = await chromium.launch({ executablePath: values.chromium, args: ["--no-sandbox", "--disable-gpu"] });
  // This distribution of the page opens one trace by itself, which it asks for by this name.
  const opened = { "/vizviewer_info": "{}", "/localtrace": readFileSync(file) };
  await served(resolve(values.perfetto), opened, async (url) => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(1800000); // for what never comes: a busy machine is slow
    // Nothing leaves this test.
    await page.route(/^https?:/, (route) =>
      route.request().url().startsWith(url) ? route.continue() : route.abort(),
    );
    await page.goto(url);
    await page.waitForFunction(() => window.app?.trace !== undefined);
    const rows = (query) =>
      page.evaluate(async (sql) => {
        const result = await window.app.trace.engine.query(sql);
        const names = result.columns();
        const found = [];
        for (const it = result.iter({}); it.valid(); it.next())
          found.push(Object.fromEntries(names.map((name) => [name, it.get(name)])));
        return found;
      }, query);
    same(
      "complaints",
      await rows("select name, value from stats where severity in ('error', 'data_loss') and value > 0"),
      [],
    );
    await perfettoChecks[kind](rows);
    if (values.screenshot) {
      await page.waitForTimeout(2000); // until it has drawn what it selected
      assert.equal(await page.locator("text=something went wrong").count(), 0, "the page reports no error");
      await page.screenshot({ path: values.screenshot });
    }
  });
  await browser.close();
}

async function inDevTools() {
  const profile = mkdtempSync(join(tmpdir(), "inmem-viewers-"));
  const program = spawn(
    values.chromium,
    ["--no-sandbox", "--disable-gpu", "--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  const ended = new Promise((done) => program.on("exit", done));
  try {
    const address = await new Promise((found, failed) => {
      let text = "";
      program.stderr.on("data", (more) => {
        text += more;
        const port = text.match(/ws:\/\/(127\.0\.0\.1:\d+)\//);
        if (port) found(port[1]);
      });
      program.on("exit", () => failed(new Error(`the browser ended: ${text}`)));
    });
    const browser = await chromium.connectOverCDP(`http://${address}`);
    const targets = await (await fetch(`http://${address}/json/list`)).json();
    const inspected = targets.find((each) => each.type === "page");
    const page = await browser.contexts()[0].newPage();
    page.setDefaultTimeout(1800000); // for what never comes: a busy machine is slow
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(
      `http://${address}/devtools/devtools_app.html?ws=${address}/devtools/page/${inspected.id}&panel=heap-profiler`,
    );
    await heapSnapshot(page);
    if (values.screenshot) await page.screenshot({ path: values.screenshot });
    await browser.close();
  } finally {
    process.kill(-program.pid, "SIGKILL"); // with what a script has started
    await ended;
    program.stderr.destroy();
    // Its helpers end a little later than it does, and may still be writing there.
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** What the summary of DevTools' memory panel says. */
async function heapSnapshot(page) {
  const input = page.locator("input[type=file]");
  await input.waitFor({ state: "attached" });
  await input.setInputFiles(resolve(file));
  const { totals, types, kinds } = report;
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)}\u00a0kB`;
  // Its size stands beside it when it is loaded; then it can be chosen.
  const item = page.locator("li[role=treeitem]", { hasText: kilobytes(totals.bytes) });
  await item.click();
  const whole = page.locator(`text=${totals.objects} objects (${kilobytes(totals.bytes)})`);
  for (let tries = 0; !(await whole.isVisible()); ++tries) {
    assert.ok(tries < 9000, "DevTools shows what it has loaded");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.waitForTimeout(200);
  }
  console.log(await whole.textContent());
  const rows = new Map();
  for (const row of await page.locator("tr.data-grid-data-grid-node").all()) {
    const [name, , , retained] = await row.locator("td").allTextContents();
    const [, type, count] = name.match(/^(.*?)(?:×([\d\u00a0,]+))?$/);
    rows.set(type, [Number((count ?? "1").replace(/\D/g, "")), retained.replace(/\d+.%$/, "")]);
  }
  // Characters are strings to it, of all types together.
  for (const row of kinds.filter((each) => each.name !== "std::string buffer"))
    same(row.name, rows.get(row.name), [row.objects, kilobytes(row.retained_bytes)]);
  same("strings", rows.get("(string)")?.[0], types.find((each) => each.type === "char").objects);
}

await (kind === "heapsnapshot" ? inDevTools() : inPerfetto());
