// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live bytes over time, with the phases and snapshots of the run.
import { useRef } from "preact/hooks";
import { bytes, count, duration, known } from "../format";
import { change, useScope } from "../state";
import { Empty, SaveButtons } from "../ui/parts";
import { bandsOf, TimeLine } from "../ui/TimeLine";
import { timeLineSvg } from "../ui/timeLineSvg";
import { ResidentOverTime } from "./ResidentOverTime";

export function TimePage() {
  const { side, type } = useScope();
  const box = useRef<HTMLDivElement>(null);
  if (side.parts === 0)
    return (
      <>
        <h1>Time line</h1>
        <Empty>
          No time line in this trace: record with <code>INMEM_OPTIONS=periodic=1</code>, or every event with{" "}
          <code>mode=trace</code>; or let the program name its phases.
        </Empty>
      </>
    );
  const csv = () => {
    const bands = bandsOf(side, type, 1e9);
    return [
      ["seconds", ...bands.map((b) => b.name)],
      ...Array.from(side.borders, (b, i) => [b / 1e9, ...bands.map((band) => band.values[i])]),
    ];
  };
  const phases = side.report.phases ?? [];
  const partAt = (ns: number) => side.borders.findLastIndex((b) => b <= ns + 1);
  return (
    <>
      <div class="tools">
        <h1>Time line</h1>
        <span class="dim">
          live bytes by type{type !== null ? `: ${side.typeName(type)}` : ""}; drag to choose a part
        </span>
        {type !== null && (
          <button type="button" onClick={() => change({ type: null })}>
            All types
          </button>
        )}
        <span class="gap" />
        <SaveButtons name="timeline" of={box} csv={csv} draw={() => timeLineSvg(side, bandsOf(side, type))} />
      </div>
      <div ref={box}>
        <TimeLine height={360} />
      </div>
      <ResidentOverTime />
      {phases.length > 0 && (
        <section>
          <h2>Phases</h2>
          <div class="wide" tabIndex={0} role="group" aria-label="Phases">
            <table>
              <thead>
                <tr>
                  <th scope="col">phase</th>
                  <th scope="col">began at</th>
                  <th scope="col">lasted</th>
                  <th scope="col">allocated</th>
                  <th scope="col">blocks</th>
                  <th scope="col">live after</th>
                  <th scope="col">peak</th>
                </tr>
              </thead>
              <tbody>
                {phases.map((p) => {
                  const from = partAt(p.begin_ns);
                  const to = Math.max(partAt(p.begin_ns + p.duration_ns), from + 1);
                  return (
                    <tr key={`${p.name}${p.begin_ns}`}>
                      <th scope="row">
                        <button
                          type="button"
                          onClick={() =>
                            change({ from: String(Math.max(from, 0)), to: String(Math.min(to, side.parts)) })
                          }
                        >
                          {p.name ?? "(before)"}
                        </button>
                      </th>
                      <td>{duration(p.begin_ns)}</td>
                      <td>{duration(p.duration_ns)}</td>
                      <td>{known(p.allocated_bytes, bytes)}</td>
                      <td>{known(p.allocations, count)}</td>
                      <td>{known(p.live_bytes, bytes)}</td>
                      <td>{p.peak_live_bytes === null ? "–" : bytes(p.peak_live_bytes)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}
