// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check.mjs [--fix]: types (tsc) and layout and lint (Biome) of this room.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = (name) => join(root, "node_modules", ".bin", name);
let status = 0;
for (const [program, ...words] of [
  [bin("biome"), "check", "--error-on-warnings", ...(process.argv.includes("--fix") ? ["--write"] : []), "."],
  [bin("tsc"), "-p", "."],
])
  status ||= spawnSync(program, words, { cwd: root, stdio: "inherit" }).status ?? 1;
process.exit(status);
