// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pack.mjs [OUT [BUILD]]: makes dist/page.html of what Vite built: one file, whose policy
// allows this script and this style sheet and nothing else. The data later
// replaces <!--INMEM-DATA--> (report/formats/Page.cpp).
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (...parts) => readFileSync(join(root, ...parts), "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const built = process.argv[3] ?? join(root, "build");
const script = readFileSync(join(built, "page.js"), "utf8").trim();
const style = readFileSync(join(built, "page.css"), "utf8").trim();
if (script.includes("</script") || script.includes("<!--") || style.includes("</style")) {
  throw new Error("the script or the style sheet would end its element");
}
const notice = ["preact", "uplot"]
  .map((name) => {
    const { version } = JSON.parse(read("node_modules", name, "package.json"));
    return `${name} ${version}\n${read("node_modules", name, "LICENSE").trim()}`;
  })
  .join("\n\n");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const page = `<!doctype html>
<!--
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
Built by web/ of inmem, from its sources and:

${notice}
-->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>inmem</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"><p role="status">Reading…</p><noscript>This page needs JavaScript.</noscript></div>
<!--INMEM-DATA-->
<script>${script}</script>
</body>
</html>
`;
const out = process.argv[2] ?? join(root, "dist", "page.html");
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
