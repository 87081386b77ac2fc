// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Colours of boxes: by module, or by change between two runs.
import type { Box } from "../data/tree";

/** Hues of the program's modules, far from blue (types) and grey (libraries). */
const hues = [18, 45, 340, 90, 320, 66, 135, 300];

/** Modules by what they take of a picture, the program's first. */
export function modulesIn(boxes: readonly Box[]): { name: string; library: boolean }[] {
  const sums = new Map<string, { name: string; library: boolean; sum: number }>();
  for (const box of boxes) {
    if (!box.module) continue;
    const known = sums.get(box.module) ?? { name: box.module, library: box.library, sum: 0 };
    known.sum += box.width;
    sums.set(box.module, known);
  }
  return [...sums.values()].sort((a, b) => Number(a.library) - Number(b.library) || b.sum - a.sum);
}

const known = new Map<string, number>();
/** The hue of a module: the same in every picture of the page, and another for each of the first ones. */
export function hueOf(module: string): number {
  let hue = known.get(module);
  if (hue === undefined) {
    hue = hues[known.size % hues.length];
    known.set(module, hue);
  }
  return hue;
}

export const moduleColour = (module: string, library: boolean, dark: boolean): string =>
  library ? (dark ? "#3b434f" : "#dde1e7") : `hsl(${hueOf(module)} ${dark ? "42% 32%" : "72% 80%"})`;

/** Red for more than before, blue for less, the stronger the larger its part of the box. */
export function changeColour({ old, now }: { old: number; now: number }, dark: boolean): string {
  const most = Math.max(old, now);
  const part = most > 0 ? (now - old) / most : 0;
  const strength = Math.sqrt(Math.abs(part));
  if (strength < 0.05) return dark ? "#3b434f" : "#e4e7eb";
  const hue = part > 0 ? 8 : 214;
  return dark
    ? `hsl(${hue} ${30 + 40 * strength}% ${26 + 12 * strength}%)`
    : `hsl(${hue} ${40 + 45 * strength}% ${92 - 22 * strength}%)`;
}

export function boxColour(box: Box, dark: boolean): string {
  if (box.two) return changeColour(box.two, dark);
  if (box.type !== null) {
    let hash = 7;
    for (let i = 0; i < box.name.length; i++) hash = (hash * 31 + box.name.charCodeAt(i)) >>> 0;
    return `hsl(${200 + (hash % 24)} ${dark ? "42% 34%" : "62% 80%"})`;
  }
  if (!box.module) return dark ? "#3a424e" : "#d5d9df";
  return moduleColour(box.module, box.library, dark);
}
