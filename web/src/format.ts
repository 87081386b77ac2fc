// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for people; the exact ones are in titles and CSV.

// As report/base/Units.cpp; tests hold both to web/tests/figures.json.

const digits = (value: number): string => value.toFixed(value < 99.95 ? 1 : 0);

/** The value in the largest unit, `step` apart, that it reaches when rounded. */
function scaled(value: number, step: number, units: readonly string[]): string {
  let rest = value / step;
  let unit = 0;
  while (rest >= step - 0.5 && unit < units.length - 1) {
    rest /= step;
    unit++;
  }
  return `${digits(rest)} ${units[unit]}`;
}

const signOf = (value: number): string => (value < 0 ? "-" : "");

export function bytes(value: number): string {
  const size = Math.abs(value);
  return (
    signOf(value) +
    (size < 1024 ? `${size.toFixed(0)} B` : scaled(size, 1024, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]))
  );
}

/** A figure that another tool did not count is unknown, never 0. */
export const known = (value: number | null, text: (v: number) => string): string =>
  value === null ? "unknown" : text(value);

/** A type's peak, or what it was at most. */
export function peakText(row: { peak_live_bytes: number | null; peak_live_bytes_at_most?: number }): string {
  if (row.peak_live_bytes !== null) return bytes(row.peak_live_bytes);
  return row.peak_live_bytes_at_most === undefined ? "unknown" : `≤ ${bytes(row.peak_live_bytes_at_most)}`;
}

export function count(value: number): string {
  const size = Math.abs(value);
  return signOf(value) + (size < 10000 ? size.toFixed(0) : scaled(size, 1000, ["k", "M", "G", "T", "P", "E"]));
}

export const exact = (value: number): string => value.toLocaleString("en");

export function duration(ns: number): string {
  if (ns < 1000) return `${ns.toFixed(0)} ns`;
  if (ns < 999.5e3) return `${digits(ns / 1e3)} µs`;
  if (ns < 999.5e6) return `${digits(ns / 1e6)} ms`;
  if (ns < 120e9) return `${digits(ns / 1e9)} s`;
  return ns < 7200e9 ? `${digits(ns / 60e9)} min` : `${digits(ns / 3600e9)} h`;
}

export const life = (value: number | null | undefined, unit: string): string =>
  value === null || value === undefined ? "–" : unit === "bytes" ? bytes(value) : duration(value);

export const percent = (part: number, all: number): string => {
  if (all <= 0) return "-";
  const share = (100 * part) / all;
  return share === 0 ? "0 %" : share < 0.05 ? "<0.1 %" : `${digits(share)} %`;
};

export const signed = (text: (v: number) => string, value: number): string =>
  value > 0 ? `+${text(value)}` : text(value);

export const time = (unixNs: number): string =>
  unixNs > 0 ? `${new Date(unixNs / 1e6).toISOString().slice(0, 19).replace("T", " ")} UTC` : "–";

/** A path without detours, for display: compilers name headers `…/12/../../include`. */
export function normalPath(path: string): string {
  if (!path.includes("/.")) return path;
  const out: string[] = [];
  for (const part of path.split("/")) {
    const before = out.at(-1);
    if (part === "." && out.length > 0) continue;
    if (part === ".." && before !== undefined && before !== ".." && before !== "." && out.length > 0) {
      if (before !== "" || out.length > 1) out.pop();
    } else out.push(part);
  }
  return out.join("/");
}

/** `file:line`, or what is known of it. */
export const placeText = (file: string | null | undefined, line: number | null | undefined): string =>
  !file ? "" : line ? `${normalPath(file)}:${line}` : normalPath(file);

/** The last parts of a path. */
export const shortPath = (path: string, parts = 2): string => path.split("/").slice(-parts).join("/");
