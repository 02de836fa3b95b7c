import { useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import { hasDatasets } from "../model/kinds";
import { tablesQuery } from "../api/tables";
import type { Name, Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { display, keyOf } from "../model/tables";
import { Trackables, type Trackable } from "./trackables";

/** Tables lists the tables and views of a source. */
export function Tables(props: { source: Source; current: Name | undefined; open: (t: Name) => void }) {
  const { source, current, open } = props;
  const found = useQuery(tablesQuery(useServer(), source));
  const items = useMemo<Trackable[]>(() => {
    const tracked = new Set(source.tables.map((t) => keyOf(t.table)));
    const all = new Map([...source.tables.map((t) => t.table), ...(found.data ?? [])].map((n) => [keyOf(n), n]));
    return [...all]
      .map(([id, name]) => ({ id, name, text: display(name), tracked: tracked.has(id) }))
      .sort((a, b) => a.text.localeCompare(b.text));
  }, [source, found.data]);
  const prefix = prefixOf(source.kind);
  return (
    <Trackables
      label="Tables and views"
      schemaWord={hasDatasets(source.kind) ? "Dataset" : "Schema"}
      items={items}
      pending={found.isPending}
      error={found.isLoadingError ? found.error : null}
      retry={() => void found.refetch()}
      current={current}
      open={open}
      track={(chosen) => ({
        type: `${prefix}_track_tables`,
        args: { tables: chosen.map((i) => ({ source: source.name, table: i.name })) },
      })}
      untrack={(chosen) => ({
        type: `${prefix}_untrack_tables`,
        args: { tables: chosen.map((i) => ({ source: source.name, table: i.name, cascade: true })) },
      })}
    />
  );
}
