// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of tables of sites.
import type { Side, Sums } from "../data/side";
import { bytes, count, duration } from "../format";
import { linkTo, type Route } from "../state";
import { PlaceText, Share } from "./parts";
import type { Column } from "./Table";

export function siteColumns(
  side: Side,
  sums: Sums,
  route: Route,
  withType: boolean,
  site: (row: number) => number,
): Column[] {
  let all = 0;
  for (const value of sums.bytes) all += value;
  const figure = (key: keyof Sums, title: string, show: (v: number) => string, more: Partial<Column> = {}): Column => ({
    key,
    title,
    numeric: true,
    value: (r) => (side.knows(key) ? sums[key][site(r)] : null),
    show: (r) => show(sums[key][site(r)]),
    ...more,
  });
  return [
    {
      key: "function",
      title: "function",
      value: (r) => side.siteFunction(site(r)),
      show: (r) => side.siteShort(site(r)),
      width: [210, 4],
    },
    {
      key: "place",
      title: "where",
      value: (r) => side.sitePlace(site(r)),
      show: (r) => {
        const [file, line] = [side.siteFile(site(r)), side.siteLine(site(r))];
        const place = <PlaceText text={side.sitePlace(site(r))} />;
        return file && line ? <a href={linkTo("source", route, { file, line: String(line) })}>{place}</a> : place;
      },
    },
    ...(withType
      ? [
          {
            key: "of",
            title: "type",
            value: (r: number) => side.siteBlocks(site(r)),
            show: (r: number) => (
              <a href={linkTo("type", route, { t: String(side.siteType[site(r)]) })}>{side.siteBlocks(site(r))}</a>
            ),
          },
        ]
      : []),
    figure("bytes", side.bytesTitle, bytes, {
      show: (r) => <Share part={sums.bytes[site(r)] / (all || 1)}>{bytes(sums.bytes[site(r)])}</Share>,
      width: [135, 1.4],
    }),
    figure("allocations", "blocks", count),
    figure("liveBytes", "live", bytes),
    figure("live", "live blocks", count, { hidden: true }),
    figure("frees", "frees", count, { hidden: true }),
    figure("temporary", "temporary", count, { hidden: true, hint: "over the whole run only" }),
    {
      key: "p50",
      title: "median",
      numeric: true,
      hidden: true,
      hint: "lifetime of freed blocks, over the whole run",
      value: (r) => side.site(site(r)).p50,
      show: (r) => duration(side.site(site(r)).p50!),
    },
  ];
}
