// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types by lifetime: how many freed blocks of each lived how long.
import { useMemo } from "preact/hooks";
import { exact, life, percent } from "../format";
import { change, linkTo, useScope } from "../state";
import { Choice, Empty, isDark, SaveButtons, useWidth } from "../ui/parts";

// Few blocks are near the page's ground, many far from it.
const onLight = ["#e6f0fa", "#cfe1f3", "#abcbe8", "#7fb0db", "#5593cb", "#3377b5", "#1a5b9a", "#0b427b", "#062c57"];
/** Viridis. */
const onDark = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

/** Room for a time below the map. */
const kTick = 52;

export function Lifetimes() {
  const { side, range, route, type } = useScope();
  const [box, width] = useWidth<HTMLDivElement>();
  const scale = isDark() ? onDark : onLight;
  const byRow = route.keys.scale !== "all";
  const lives = side.namedLives(range);
  const unit = side.report.types.find((t) => t.lifetime)?.lifetime?.unit ?? "ns";
  const rows = useMemo(() => {
    const list = lives.map((row) => ({ ...row, sum: row.classes.reduce((a, b) => a + b, 0) }));
    return list.filter((r) => r.sum > 0 && (type === null || r.type === type)).sort((a, b) => b.sum - a.sum);
  }, [lives, type]);
  const shown = rows.slice(0, 60);
  let first = side.head.life_edges.length;
  let last = 0;
  let most = 1;
  for (const { classes } of shown)
    classes.forEach((c, i) => {
      if (c === 0) return;
      first = Math.min(first, i);
      last = Math.max(last, i);
      most = Math.max(most, c);
    });
  const high = 20;
  const names = Math.min(260, Math.max(110, width * 0.3));
  const cell = Math.max(8, (width - names - 4) / Math.max(last - first + 1, 1));
  const wide = Math.max(width, names + cell * (last - first + 1) + 4);
  const csv = () => [
    ["type", "from", "to", "blocks"],
    ...rows.flatMap((r) =>
      Array.from(r.classes, (c, i) => [r.full, ...side.lifeClass(i), c]).filter((l) => Number(l[3]) > 0),
    ),
  ];
  const every = Math.max(1, Math.ceil(58 / cell));
  return (
    <>
      <h1>Lifetimes</h1>
      <p class="dim">Freed blocks of each type by how long they lived. The 60 types with most frees.</p>
      <div class="tools">
        <Choice
          label="Colour"
          value={byRow ? "row" : "all"}
          of={[
            ["row", "Share of the type"],
            ["all", "Blocks"],
          ]}
          set={(v) => change({ scale: v === "all" ? "all" : null })}
        />
        <span class="scale" role="img" aria-label="Colours: few to many blocks">
          {byRow ? "few of the type" : "few blocks"}
          <svg width={scale.length * 16} height={14} aria-hidden="true">
            {scale.map((colour, i) => (
              <rect key={colour} x={i * 16} width={16} height={14} fill={colour} />
            ))}
          </svg>
          {byRow ? "most of it" : "many"}
        </span>
        <span class="gap" />
        <SaveButtons name="lifetimes" of={box} csv={csv} />
      </div>
      <div ref={box} class="wide" tabIndex={0} role="group" aria-label="Heat map of lifetimes">
        {shown.length === 0 && <Empty>No freed block was timed in what is shown.</Empty>}
        {shown.length > 0 && width > 0 && (
          <svg
            class="picture heat"
            width={wide}
            height={shown.length * high + 30}
            viewBox={`0 0 ${wide} ${shown.length * high + 30}`}
            role="group"
            aria-label="Types by lifetime"
          >
            {shown.map((r, y) => {
              const top = byRow ? r.classes.reduce((a, b) => Math.max(a, b), 0) : most;
              const { name } = r;
              const room = Math.floor((names - 8) / 7) - 1;
              return (
                <g key={`${r.type} ${r.name}`}>
                  <a href={linkTo("type", route, { t: String(r.type) })}>
                    <title>{`${name}, ${exact(r.sum)} freed blocks`}</title>
                    <text x={names - 6} y={y * high + 14} text-anchor="end" class="name">
                      {name.length > room ? `${name.slice(0, room)}…` : name}
                    </text>
                  </a>
                  {Array.from(r.classes.subarray(first, last + 1), (c, i) => {
                    if (c === 0) return null;
                    const level = byRow ? c / top : Math.log1p(c) / Math.log1p(top);
                    const [from, to] = side.lifeClass(first + i);
                    return (
                      <rect
                        key={`${i}`}
                        x={names + i * cell}
                        y={y * high + 1}
                        width={cell - 1}
                        height={high - 2}
                        fill={scale[Math.min(scale.length - 1, Math.floor(level * scale.length))]}
                      >
                        <title>{`${name}: ${exact(c)} blocks lived ${life(from, unit)} to ${life(to, unit)}, ${percent(c, r.sum)}`}</title>
                      </rect>
                    );
                  })}
                </g>
              );
            })}
            {Array.from({ length: last - first + 1 }, (_, i) =>
              i % every === 0 ? (
                <text
                  key={`e${i}`}
                  class="tick"
                  x={names + i * cell + (names + i * cell + kTick > wide ? cell : 0)}
                  text-anchor={names + i * cell + kTick > wide ? "end" : "start"}
                  y={shown.length * high + 18}
                >
                  {life(side.lifeClass(first + i)[0], unit)}
                </text>
              ) : null,
            )}
          </svg>
        )}
      </div>
    </>
  );
}
