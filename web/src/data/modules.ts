// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of functions that pictures colour alike.
import { normalPath } from "../format";
import type { Side } from "./side";

/** The name of a library's code, by its header or its file. */
function libraryName(name: string, file: string, module: string): string {
  if (/^(std|__gnu_cxx|__cxxabi\w*)::|^operator (new|delete)\b/.test(name) || /\/include\/c\+\+\//.test(file))
    return "C++ library";
  const header = /\/include\/(?:[^/]+-linux-[^/]+\/)?([^/]+)\//.exec(file);
  if (header) return header[1];
  return module.replace(/\.so.*$/, "") || "libraries";
}

/** By function. The program's own: by folder where its sources are in several, else by file. */
export function modulesOf(side: Side): string[] {
  const count = side.column("function.name").length;
  const files = Array.from({ length: count }, (_, f) => normalPath(side.functionFile(f)));
  const modules = side.column("function.module");
  const isOwn = (f: number) => f > 0 && !side.isLibraryFunction(f);
  const folderOf = (file: string) => file.slice(0, Math.max(file.lastIndexOf("/"), 0));
  const folders = new Set(files.filter((file, f) => file && isOwn(f)).map(folderOf));
  // Folders below the one that all are in.
  const parts = [...folders].map((folder) => folder.split("/"));
  let shared = 0;
  while (parts.length > 1 && parts.every((p) => p.length > shared && p[shared] === parts[0][shared])) shared++;
  return files.map((file, f) => {
    const module = side.text(modules[f]).replace(/.*\//, "");
    if (f === 0) return "";
    if (!isOwn(f)) return libraryName(side.functionShort(f), file, module);
    if (!file) return module || "the program";
    if (folders.size < 2) return file.slice(file.lastIndexOf("/") + 1);
    return folderOf(file).split("/").slice(shared).join("/") || folderOf(file).split("/").pop() || "the program";
  });
}
