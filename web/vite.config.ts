// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One script and one style sheet; scripts/pack.mjs makes the page of them.
import { defineConfig } from "vite";
import { adviceModule } from "./scripts/advice.mjs";

export default defineConfig({
  plugins: [adviceModule()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    outDir: "build",
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: "src/main.tsx",
      output: {
        format: "iife",
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        inlineDynamicImports: true,
      },
    },
  },
});
