// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source text with what each line allocates.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { bytes, count, percent } from "../format";
import { change, linkTo, useScope } from "../state";
import { EditorLink, noSource } from "../ui/Code";
import { Empty } from "../ui/parts";

export function Source() {
  const { side, range, route, type } = useScope();
  const sums = side.lineSums(range);
  const kindsOf = useMemo(() => {
    const out = new Map<number, Set<number>>();
    const kindOf = side.rowKind();
    side.rowLine.forEach((at, row) => {
      const known = out.get(at);
      if (known) known.add(kindOf[row]);
      else out.set(at, new Set([kindOf[row]]));
    });
    return out;
  }, [side]);
  const files = useMemo(() => {
    const out = new Map<string, { bytes: number; lines: number[] }>();
    for (let l = 0; l < sums.bytes.length; l++) {
      const name = side.lineFile(l);
      if (!name) continue;
      if (type !== null && ![...(kindsOf.get(l) ?? [])].some((k) => side.kinds[k].type === type)) continue;
      const known = out.get(name) ?? { bytes: 0, lines: [] };
      known.bytes += sums.bytes[l];
      known.lines.push(l);
      out.set(name, known);
    }
    return [...out].sort((x, y) => y[1].bytes - x[1].bytes);
  }, [side, sums, type]);
  const texts = useMemo(() => new Map(side.head.sources.map((s) => [s.file, s.text])), [side]);
  const file =
    route.keys.file ??
    files.find(([name]) => texts.has(name))?.[0] ??
    files.find(([name]) => !name.startsWith("/usr/"))?.[0] ??
    files[0]?.[0];
  const line = Number(route.keys.line ?? 0);
  const box = useRef<HTMLDivElement>(null);
  const costs = useMemo(() => {
    const out = new Map<number, { bytes: number; blocks: number; live: number; kinds: Set<number> }>();
    for (const l of files.find(([name]) => name === file)?.[1].lines ?? [])
      out.set(side.column("line.number")[l], {
        bytes: sums.bytes[l],
        blocks: sums.allocations[l],
        live: sums.liveBytes[l],
        kinds: kindsOf.get(l) ?? new Set(),
      });
    return out;
  }, [files, file]);
  const dearest = useMemo(
    () => [...costs].reduce((a, b) => (b[1].bytes > a[1] ? [b[0], b[1].bytes] : a), [0, 0])[0],
    [costs],
  );
  useEffect(() => {
    box.current?.querySelector(line ? ".at" : ".dearest")?.scrollIntoView({ block: "center" });
  }, [file, line, dearest]);
  const text = file === undefined ? undefined : texts.get(file);
  const all = side.report.totals.allocated_bytes ?? 0;
  const lines: [number, string][] =
    text !== undefined
      ? text.split("\n").map((t, i) => [i + 1, t])
      : [...costs.keys()].sort((a, b) => a - b).map((l) => [l, ""]);
  return (
    <>
      <h1>Source</h1>
      {files.length === 0 ? (
        <Empty>No site in what is shown has a file.</Empty>
      ) : (
        <label>
          File{" "}
          <select value={file} onChange={(e) => change({ file: (e.target as HTMLSelectElement).value, line: null })}>
            {files.slice(0, 500).map(([name, f]) => (
              <option key={name} value={name}>
                {name} ({bytes(f.bytes)})
              </option>
            ))}
            {file && !files.slice(0, 500).some(([name]) => name === file) && <option value={file}>{file}</option>}
          </select>
        </label>
      )}
      {file && <EditorLink file={file} line={line || dearest || null} />}
      {file && text === undefined && <p class="dim">{noSource}</p>}
      {file && (
        <div class="source" ref={box} tabIndex={0} role="group" aria-label={`Source of ${file}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">line</th>
                <th scope="col">allocated</th>
                <th scope="col">blocks</th>
                <th scope="col">live</th>
                <th scope="col">text</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(([number, words]) => {
                const cost = costs.get(number);
                return (
                  <tr
                    key={number}
                    class={`${number === line ? "at" : number === dearest ? "dearest" : ""}${cost ? " cost" : ""}`}
                  >
                    <th scope="row">{number}</th>
                    <td class="figure" data-label="allocated" title={cost ? percent(cost.bytes, all) : ""}>
                      {cost ? bytes(cost.bytes) : ""}
                    </td>
                    <td class="figure" data-label="blocks">
                      {cost ? (side.knows("allocations") ? count(cost.blocks) : "–") : ""}
                    </td>
                    <td class="figure" data-label="live">
                      {cost ? (side.knows("liveBytes") ? (cost.live > 0 ? bytes(cost.live) : "") : "–") : ""}
                    </td>
                    <td class="code">
                      {words}
                      {cost && (
                        <span class="types">
                          {[...cost.kinds].slice(0, 4).map((k) => (
                            <a key={k} href={linkTo("type", route, { t: String(side.kinds[k].type) })}>
                              {side.kinds[k].name}
                            </a>
                          ))}
                        </span>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
