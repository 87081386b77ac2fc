// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame around all pages: header, navigation, search, the part of the run, the theme.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Decoded, decode } from "./data/decode";
import { sidesOf } from "./data/side";
import { duration } from "./format";
import { ListPage } from "./pages/OptionalPages";
import { change, linkTo, ScopeContext, scopeOf, useRoute } from "./state";
import { tabs } from "./tabs";
import { Choice } from "./ui/parts";
import { TimeLine } from "./ui/TimeLine";

type Theme = "auto" | "light" | "dark";

/** Kept if the browser lets a file keep something. */
const remembered = {
  get: (): Theme => {
    try {
      return (localStorage.getItem("inmem-theme") as Theme) || "auto";
    } catch {
      return "auto";
    }
  },
  set: (theme: Theme) => {
    try {
      localStorage.setItem("inmem-theme", theme);
    } catch {
      // Then it holds until the page is closed.
    }
  },
};

function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(remembered.get);
  document.documentElement.dataset.theme = theme;
  return [
    theme,
    (next) => {
      remembered.set(next);
      setTheme(next);
    },
  ];
}

/** Asks again for the data of a program that runs. */
function useData(first: Decoded): Decoded {
  const [data, setData] = useState(first);
  const served = data.head.served;
  useEffect(() => {
    if (!served?.running) return;
    const timer = setTimeout(async () => {
      try {
        const answer = await fetch(served.data);
        if (answer.ok) setData(await decode(new Uint8Array(await answer.arrayBuffer())));
      } catch {
        setData({ ...data }); // The server may be back later.
      }
    }, 3000);
    return () => clearTimeout(timer);
  }, [data]);
  return data;
}

/** The whole address: a link that is "#…" alone, and scrolled out of sight, looks like one that skips to content. */
const whole = (link: string): string => location.pathname + location.search + link;

export function App({ first }: { first: Decoded }) {
  const data = useData(first);
  const { head } = data;
  const sides = useMemo(() => sidesOf(data), [data]);
  const route = useRoute();
  const [theme, setTheme] = useTheme();
  const main = useRef<HTMLElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const page = route.page;
  const opened = useRef(page);
  useEffect(() => {
    // On a phone the open tab may be outside of the bar.
    const tab = document.querySelector<HTMLElement>("nav [aria-current]");
    const bar = tab?.parentElement;
    if (tab && bar) bar.scrollLeft = tab.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
    if (opened.current === page) return;
    opened.current = page;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [page]);
  const there = tabs.filter((tab) => !tab.when || tab.when(head, sides));
  const pages = there.filter((tab) => !tab.below);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(target.tagName)) return;
      const number = "1234567890".indexOf(event.key);
      if (number >= 0 && pages[number]) location.hash = linkTo(pages[number].key, route);
      else if (event.key === "/") main.current?.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      else if (event.key === "?") help.current?.showModal();
      else if (event.key === "Escape" && (route.keys.from || route.keys.to || route.keys.type))
        change({ from: null, to: null, type: null });
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
  if (head.kind === "list") return <ListPage head={head} route={route} />;
  const scope = scopeOf(head, sides, route);
  const { side, range, type } = scope;
  const command = side.report.processes[0]?.command?.join(" ") ?? side.head.label;
  const labels = Object.entries(side.report.processes[0]?.labels ?? {});
  document.title = `${side.head.label} · inmem`;
  const open = there.find(({ key }) => key === page) ?? there[0];
  const marked = open.below ?? open.key;
  return (
    <ScopeContext.Provider value={scope}>
      <header class="top">
        {/* biome-ignore lint/a11y/useValidAnchor: the address is of what is looked at */}
        <a
          class="skip"
          href="#main"
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          Skip to content
        </a>
        <p class="command" title={command}>
          <strong>inmem</strong> <span>{command}</span>
          {side.report.processes.length > 1 ? (
            <span class="dim"> and {side.report.processes.length - 1} more</span>
          ) : null}
          {head.served?.running ? <span class="running">running</span> : null}
        </p>
        {labels.length > 0 && (
          <ul class="labels" aria-label="Labels">
            {labels.map(([name, value]) => (
              <li key={name}>
                {name}={value}
              </li>
            ))}
          </ul>
        )}
        {sides.length > 1 && (
          <Choice
            label="Side"
            value={String(sides.indexOf(side))}
            of={sides.map((s, i) => [String(i), `${i === 0 ? "Old" : "New"}: ${s.head.label}`] as const)}
            set={(v) => change({ side: v, from: null, to: null, type: null, t: null })}
          />
        )}
        <label class="theme">
          <span class="hide">Colours</span>
          <select value={theme} onChange={(e) => setTheme((e.target as HTMLSelectElement).value as Theme)}>
            <option value="auto">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <button type="button" onClick={() => help.current?.showModal()} aria-label="Keys">
          ?
        </button>
      </header>
      <nav aria-label="Pages">
        {pages.map(({ key, title }) => (
          <a key={key} href={whole(linkTo(key, route))} aria-current={key === marked ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {side.parts > 0 && page !== "time" && (
        <aside aria-label="Part of the run">
          <TimeLine height={84} thin />
        </aside>
      )}
      <main id="main" ref={main} tabIndex={-1}>
        {(type !== null || range) && (
          <p class="filters">
            Shown:{" "}
            {range && (
              <button type="button" onClick={() => change({ from: null, to: null })}>
                {duration(side.borders[range.from])} – {duration(side.borders[range.to])}{" "}
                <span aria-label="remove">×</span>
              </button>
            )}
            {type !== null && (
              <button type="button" onClick={() => change({ type: null })}>
                {side.typeName(type)} <span aria-label="remove">×</span>
              </button>
            )}
          </p>
        )}
        {open.page(head)}
      </main>
      <dialog ref={help} aria-label="Keys">
        <h2>Keys</h2>
        <dl class="keys">
          {[
            ["1 – 9, 0", "pages"],
            ["/", "search"],
            ["Esc", "show everything again"],
            ["arrows, Page Up, Page Down, Home, End", "move in a table or a picture"],
            ["Enter", "open a row, zoom to a box"],
            ["o", "a box's own page"],
          ].map(([keys, what]) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </ScopeContext.Provider>
  );
}
