// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for people; the exact ones are in titles and CSV.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

const digits = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

export function bytes(value: number): string {
  const sign = value < 0 ? "−" : "";
  let rest = Math.abs(value);
  let unit = 0;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${sign}${digits(rest)} ${units[unit]}`;
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
  if (size < 10000) return value.toLocaleString("en").replace("-", "−");
  for (const [limit, unit] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const)
    if (size >= limit) return `${value < 0 ? "−" : ""}${digits(size / limit)} ${unit}`;
  return String(value);
}

export const exact = (value: number): string => value.toLocaleString("en");

export function duration(ns: number): string {
  for (const [limit, unit] of [
    [3600e9, "h"],
    [60e9, "min"],
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ] as const)
    if (ns >= limit) return `${digits(ns / limit)} ${unit}`;
  return `${digits(ns)} ns`;
}

export const life = (value: number | null | undefined, unit: string): string =>
  value === null || value === undefined ? "–" : unit === "bytes" ? bytes(value) : duration(value);

export const percent = (part: number, all: number): string => {
  if (all <= 0) return "–";
  const share = (100 * part) / all;
  return share > 0 && share < 0.1 ? "<0.1 %" : `${share.toFixed(1)} %`;
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
