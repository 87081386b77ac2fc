// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is looked at is in the URL: #page?key=value. Keys: side, from, to, type, q, sort,
// and what single pages add.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Range, Side } from "./data/side";
import type { Head } from "./data/types";

export interface Route {
  page: string;
  keys: Record<string, string>;
}

export function parseRoute(hash: string): Route {
  const [page, query] = hash.replace(/^#\/?/, "").split("?");
  return { page: page || "findings", keys: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** Keys that stay when another page is opened. */
const shared = ["side", "from", "to", "type"];

export function linkTo(page: string, from: Route, patch: Record<string, string | null> = {}): string {
  const keys = new URLSearchParams();
  for (const key of shared) if (from.keys[key] !== undefined) keys.set(key, from.keys[key]);
  return `#${page}${queryOf(keys, patch)}`;
}

function queryOf(keys: URLSearchParams, patch: Record<string, string | null>): string {
  for (const [key, value] of Object.entries(patch))
    if (value === null || value === "") keys.delete(key);
    else keys.set(key, value);
  const text = keys.toString();
  return text ? `?${text}` : "";
}

/** Changes keys of the page that is open. */
export function change(patch: Record<string, string | null>, replace = false): void {
  const now = parseRoute(location.hash);
  const hash = `#${now.page}${queryOf(new URLSearchParams(now.keys), patch)}`;
  if (hash === location.hash) return;
  if (replace) {
    history.replaceState(null, "", hash);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = hash;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}

export interface Scope {
  head: Head;
  sides: Side[];
  side: Side;
  route: Route;
  range: Range | null;
  type: number | null;
}

export const ScopeContext = createContext<Scope | null>(null);
export const useScope = (): Scope => useContext(ScopeContext)!;

const numberOf = (text: string | undefined): number | null => {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isInteger(value) && value >= 0 ? value : null;
};

/** The part of the run that keys name; none: all of it. */
export function rangeOf(side: Side, from: string | undefined, to: string | undefined): Range | null {
  const a = numberOf(from) ?? 0;
  const b = numberOf(to) ?? side.parts;
  if (side.parts === 0 || a >= b || b > side.parts || (a === 0 && b === side.parts)) return null;
  return { from: a, to: b };
}

export function scopeOf(head: Head, sides: Side[], route: Route): Scope {
  const side = sides[numberOf(route.keys.side) ?? sides.length - 1] ?? sides[0];
  const type = numberOf(route.keys.type);
  return {
    head,
    sides,
    side,
    route,
    range: rangeOf(side, route.keys.from, route.keys.to),
    type: type !== null && type < side.types ? type : null,
  };
}

/** The address that opens a line in the user's editor; null: there is no such editor or file. */
export function editorLink({ head, side }: Scope, file: string, line: number | null): string | null {
  const path = side.head.sources.find((s) => s.file === file)?.path ?? file;
  if (!head.editor || !path.startsWith("/")) return null;
  // Names of files are text: only slashes keep their meaning.
  const safe = path.split("/").map(encodeURIComponent).join("/");
  return head.editor.replaceAll("{file}", safe).replaceAll("{line}", String(line ?? 1));
}
