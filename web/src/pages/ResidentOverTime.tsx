// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resident size of a run over time, above its live bytes, on the time line's scale.
import { useMemo } from "preact/hooks";
import { bytes, duration } from "../format";
import { useScope } from "../state";
import { SaveButtons, useWidth } from "../ui/parts";
import { bandsOf } from "../ui/TimeLine";

interface Point {
  ns: number;
  value: number;
}

const kHeight = 180;
const kTop = 10;
const kFoot = 24;
/** As the time line's axis and padding. */
const kLeft = 78;
const kRight = 8;

/** A power of two that divides `top` into 2 to 4 parts. */
const stepOf = (top: number): number => 2 ** Math.floor(Math.log2(top / 2));

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ten * ([1, 2, 5].find((n) => n * ten >= least) ?? 10);
}

/** Nothing if the trace has fewer than two sizes. */
export function ResidentOverTime() {
  const { side } = useScope();
  const [box, width] = useWidth<HTMLDivElement>();
  const sizes = useMemo(
    () =>
      (side.report.timeline?.points ?? [])
        .filter((p) => p.rss_bytes)
        .map((p): Point => ({ ns: p.ns, value: p.rss_bytes! })),
    [side],
  );
  const live = useMemo(() => {
    const bands = bandsOf(side, null, 1e9);
    return Array.from(
      side.borders,
      (ns, i): Point => ({ ns, value: bands.reduce((sum, band) => sum + band.values[i], 0) }),
    );
  }, [side]);
  if (sizes.length < 2) return null;
  const top = Math.max(...sizes.map((p) => p.value), ...live.map((p) => p.value), 1);
  const end = Math.max(sizes[sizes.length - 1].ns, live[live.length - 1]?.ns ?? 0, 1);
  const across = Math.max(width - kLeft - kRight, 1);
  const x = (ns: number) => (kLeft + (ns * across) / end).toFixed(1);
  const y = (value: number) => (kTop + kHeight - (value * kHeight) / top).toFixed(1);
  /** Each value holds until the next point: between two nothing was measured. */
  const area = (points: Point[]) =>
    [
      `${x(points[0].ns)},${y(0)}`,
      ...points.map((p, i) => `${x(p.ns)},${y(p.value)} ${x(points[i + 1]?.ns ?? end)},${y(p.value)}`),
      `${x(end)},${y(0)}`,
    ].join(" ");
  const step = stepOf(top);
  const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, i) => i * step);
  const tick = niceStep((end * 90) / across);
  const times = Array.from({ length: Math.floor(end / tick) + 1 }, (_, i) => i * tick);
  return (
    <section>
      <div class="tools">
        <h2>Resident size</h2>
        <span class="dim">at most {bytes(Math.max(...sizes.map((p) => p.value)))} when looked at</span>
        <span class="gap" />
        <SaveButtons
          name="resident-time"
          of={box}
          csv={() => [["seconds", "rss_bytes"], ...sizes.map((p) => [p.ns / 1e9, p.value])]}
        />
      </div>
      <div ref={box}>
        {width > 0 && (
          <svg
            class="picture"
            width={width}
            height={kTop + kHeight + kFoot}
            viewBox={`0 0 ${width} ${kTop + kHeight + kFoot}`}
            role="img"
            aria-label={`Resident size over time, at most ${bytes(top)}`}
          >
            <polygon class="part-kept" points={area(sizes)} />
            {live.length > 1 && <polygon class="part-live" points={area(live)} />}
            {lines.map((value) => (
              <g key={value}>
                <line class="rule" x1={kLeft} x2={kLeft + across} y1={y(value)} y2={y(value)} />
                <text class="tick" x={kLeft - 6} y={Number(y(value)) + 4} text-anchor="end">
                  {bytes(value)}
                </text>
              </g>
            ))}
            {times.map((ns) => (
              <text
                key={ns}
                class="tick"
                x={x(ns)}
                y={kTop + kHeight + 17}
                text-anchor={ns > end * 0.97 ? "end" : "middle"}
              >
                {duration(ns)}
              </text>
            ))}
          </svg>
        )}
      </div>
      <ul class="legend">
        {[
          ["part-kept", "resident, inmem's own memory included"],
          ["part-live", "live blocks"],
        ].map(([part, name]) => (
          <li key={part}>
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={part} width={10} height={10} />
            </svg>
            <span class="name">{name}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
