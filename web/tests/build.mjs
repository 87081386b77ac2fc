// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page that comes with the sources is what the sources make.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const run = (...words) => execFileSync(process.execPath, words, { cwd: root, stdio: "pipe", encoding: "utf8" });

export function typesAndLayout() {
  run("scripts/check.mjs");
}

export function rebuilt({ work }) {
  run(
    "node_modules/vite/bin/vite.js",
    "build",
    "--logLevel",
    "error",
    "--emptyOutDir",
    "--outDir",
    join(work, "build"),
  );
  run("scripts/pack.mjs", join(work, "page.html"), join(work, "build"));
  const [made, kept] = [join(work, "page.html"), join(root, "dist", "page.html")].map((f) => readFileSync(f, "utf8"));
  assert.ok(made === kept, "dist/page.html is not what the sources make: run `npm run build` in web/");
}
