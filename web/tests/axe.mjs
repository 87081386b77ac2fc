// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accessibility of the open page, as axe-core judges it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const rules = { resultTypes: ["violations"], rules: { "label-content-name-mismatch": { enabled: true } } };

/** The page's accessibility, by a script that its policy would not let in by itself. */
export async function violations(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: `${axe};0` });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, ${JSON.stringify(rules)}).then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target + " " + n.failureSummary).slice(0, 3).join(" ; "))))`,
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}
