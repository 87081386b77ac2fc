// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resident size of a run over time, above its live bytes.
import { useMemo, useRef } from "preact/hooks";
import { bytes, duration } from "../format";
import { useScope } from "../state";
import { SaveButtons } from "../ui/parts";
import { bandsOf } from "../ui/TimeLine";

/** Nothing if the trace has fewer than two sizes. */
export function ResidentOverTime() {
  const { side } = useScope();
  const box = useRef<HTMLDivElement>(null);
  const points = (side.report.timeline?.points ?? []).filter((p) => p.rss_bytes);
  const lines = useMemo(() => {
    const bands = bandsOf(side, null, 1e9);
    return Array.from(side.borders, (ns, i) => ({
      ns,
      value: bands.reduce((sum, band) => sum + band.values[i], 0),
    }));
  }, [side]);
  if (points.length < 2) return null;
  const top = Math.max(...points.map((p) => p.rss_bytes!), 1);
  const end = Math.max(points[points.length - 1].ns, 1);
  const at = (ns: number, value: number) => `${(ns * 1000) / end},${200 - (value * 190) / top}`;
  return (
    <section>
      <div class="tools">
        <h2>Resident size</h2>
        <span class="dim">
          resident, up to {bytes(top)}, above live blocks; {duration(end)}
        </span>
        <span class="gap" />
        <SaveButtons
          name="resident-time"
          of={box}
          csv={() => [["seconds", "rss_bytes"], ...points.map((p) => [p.ns / 1e9, p.rss_bytes])]}
        />
      </div>
      <div ref={box}>
        <svg
          class="picture rss"
          viewBox="0 0 1000 200"
          preserveAspectRatio="none"
          role="img"
          aria-label="Resident size"
        >
          <polygon
            class="part-pinned"
            points={`${at(points[0].ns, 0)} ${points.map((p) => at(p.ns, p.rss_bytes!)).join(" ")} ${at(end, 0)}`}
          />
          {lines.length > 1 && (
            <polygon
              class="part-live"
              points={`0,200 ${lines.map((p) => at(p.ns, p.value)).join(" ")} ${at(lines[lines.length - 1].ns, 0)}`}
            />
          )}
        </svg>
      </div>
    </section>
  );
}
