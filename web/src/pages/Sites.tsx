// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation sites as a table.
import { useMemo } from "preact/hooks";
import { linkTo, useScope } from "../state";
import { siteColumns } from "../ui/siteColumns";
import { Table } from "../ui/Table";

export function Sites() {
  const { side, range, route, type } = useScope();
  const sums = side.siteSums(range);
  const columns = useMemo(
    () => siteColumns(side, sums, route, true, (r) => r),
    [side, sums, route.keys.from, route.keys.to, route.keys.side],
  );
  const keep = useMemo(() => {
    const some = (r: number) => !range || sums.allocations[r] > 0 || sums.live[r] > 0 || sums.frees[r] > 0;
    return type !== null || range ? (r: number) => (type === null || side.siteType[r] === type) && some(r) : undefined;
  }, [side, sums, type, range]);
  const text = useMemo(
    () => (r: number) => `${side.siteFunction(r)} ${side.sitePlace(r)} ${side.siteBlocks(r)}`,
    [side],
  );
  return (
    <>
      <h1>Sites</h1>
      <Table
        name="sites"
        label="sites"
        rows={side.sites}
        columns={columns}
        sort="bytes down"
        text={text}
        keep={keep}
        open={(r) => {
          location.hash = linkTo("type", route, { t: String(side.siteType[r]) });
        }}
      />
    </>
  );
}
