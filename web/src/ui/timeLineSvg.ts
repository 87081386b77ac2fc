// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time line as a drawing that can be saved: on the page it is a canvas.
import type { Side } from "../data/side";
import { bytes, duration } from "../format";
import type { Band } from "./TimeLine";

const kWidth = 1000;
const kHeight = 400;
const kLeft = 90;
const kTop = 10;
const kRow = 18;

function element(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const out = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  if (text !== undefined) out.textContent = text;
  return out;
}

/** Bands stacked over each other, axes, and a legend below. */
export function timeLineSvg(side: Side, bands: Band[]): SVGElement {
  const height = kTop + kHeight + 40 + bands.length * kRow;
  const svg = element("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: kLeft + kWidth + 20,
    height,
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
  });
  svg.append(element("rect", { width: "100%", height: "100%", fill: "#fff" }));
  const ns = side.borders;
  const begin = ns[0];
  const span = Math.max(ns[ns.length - 1] - begin, 1);
  const total = new Float64Array(ns.length);
  for (const band of bands) for (let i = 0; i < total.length; i++) total[i] += band.values[i];
  const most = Math.max(...total, 1);
  const x = (i: number) => (kLeft + ((ns[i] - begin) / span) * kWidth).toFixed(1);
  const y = (value: number) => (kTop + kHeight - (value / most) * kHeight).toFixed(1);
  /** Each value holds until the next point. */
  const steps = (values: Float64Array) =>
    Array.from(values, (v, i) => (i + 1 < ns.length ? `${x(i)},${y(v)} ${x(i + 1)},${y(v)}` : `${x(i)},${y(v)}`));
  const below = new Float64Array(ns.length);
  for (const band of bands) {
    const lower = steps(below)
      .flatMap((p) => p.split(" "))
      .reverse();
    for (let i = 0; i < below.length; i++) below[i] += band.values[i];
    const upper = steps(below);
    const area = element("polygon", { points: [...upper, ...lower].join(" "), fill: band.colour });
    area.append(element("title", {}, band.name));
    svg.append(area);
  }
  const kLines = 4;
  for (let i = 0; i <= kLines; i++) {
    const value = (most / kLines) * i;
    svg.append(
      element("line", { x1: kLeft, x2: kLeft + kWidth, y1: y(value), y2: y(value), stroke: "#888", opacity: 0.4 }),
      element("text", { x: kLeft - 6, y: Number(y(value)) + 4, "text-anchor": "end", fill: "#333" }, bytes(value)),
      element(
        "text",
        {
          x: kLeft + (kWidth / kLines) * i,
          y: kTop + kHeight + 18,
          "text-anchor": i === 0 ? "start" : i === kLines ? "end" : "middle",
          fill: "#333",
        },
        duration(begin + (span / kLines) * i),
      ),
    );
  }
  bands.forEach((band, i) => {
    const top = kTop + kHeight + 34 + i * kRow;
    svg.append(
      element("rect", { x: kLeft, y: top, width: 12, height: 12, fill: band.colour }),
      element("text", { x: kLeft + 18, y: top + 11, fill: "#333" }, band.name),
    );
  });
  return svg;
}
