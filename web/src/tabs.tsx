// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tabs of the page, in order: one row each.
import type { ComponentChildren } from "preact";
import type { Side } from "./data/side";
import type { Head } from "./data/types";
import { Diff } from "./pages/Diff";
import { Findings } from "./pages/Findings";
import { FlamePage } from "./pages/FlamePage";
import { HeapPage } from "./pages/Heap";
import { Leaks } from "./pages/Leaks";
import { Lifetimes } from "./pages/Lifetimes";
import { ObjectsPage } from "./pages/ObjectsPage";
import { ProfilePage } from "./pages/OptionalPages";
import { ResidentPage } from "./pages/Resident";
import { Sites } from "./pages/Sites";
import { Source } from "./pages/Source";
import { Threads } from "./pages/Threads";
import { TimePage } from "./pages/TimePage";
import { TypePage } from "./pages/TypePage";
import { Types } from "./pages/Types";

export interface Tab {
  /** `#key` opens it. */
  key: string;
  title: string;
  page: (head: Head) => ComponentChildren;
  /** Without it the tab is always there. */
  when?: (head: Head, sides: Side[]) => boolean;
  /** The tab that is marked while this page is open: it has no tab of its own. */
  below?: string;
}

export const tabs: readonly Tab[] = [
  { key: "findings", title: "Findings", page: () => <Findings /> },
  { key: "time", title: "Time line", page: () => <TimePage /> },
  { key: "types", title: "Types", page: () => <Types /> },
  { key: "type", title: "Type", page: () => <TypePage />, below: "types" },
  { key: "sites", title: "Sites", page: () => <Sites /> },
  { key: "lifetimes", title: "Lifetimes", page: () => <Lifetimes /> },
  { key: "flame", title: "Stacks", page: () => <FlamePage /> },
  { key: "threads", title: "Threads", page: () => <Threads /> },
  { key: "leaks", title: "Still alive", page: () => <Leaks /> },
  { key: "objects", title: "Objects", page: () => <ObjectsPage /> },
  { key: "source", title: "Source", page: () => <Source /> },
  { key: "diff", title: "Difference", page: (head) => <Diff head={head} /> },
  {
    key: "profile",
    title: "Samples",
    page: () => <ProfilePage />,
    when: (_head, sides) => sides.some((s) => s.report.profile),
  },
  { key: "heap", title: "Heap", page: (head) => <HeapPage heap={head.heap!} />, when: (head) => !!head.heap },
  {
    key: "resident",
    title: "Resident",
    page: (head) => <ResidentPage of={head.resident!} />,
    when: (head) => !!head.resident,
  },
];
