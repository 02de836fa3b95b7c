import { useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import { functionsQuery } from "../api/functions";
import { hasDatasets } from "../model/kinds";
import { display, keyOf } from "../model/tables";
import type { Name, Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Trackables, type Trackable } from "./trackables";

/** Functions lists the functions of a source. */
export function Functions(props: { source: Source; current: Name | undefined; open: (f: Name) => void }) {
  const { source, current, open } = props;
  const found = useQuery(functionsQuery(useServer(), source));
  const [exposed, setExposed] = useState("");
  const items = useMemo<Trackable[]>(() => {
    const tracked = (source.functions ?? []).map((f) => f.function);
    const refused = new Set((found.data ?? []).filter((f) => f.refusal).map((f) => keyOf(f.name)));
    const known = new Set(tracked.map(keyOf));
    const all = new Map([...tracked, ...(found.data ?? []).map((f) => f.name)].map((n) => [keyOf(n), n]));
    return [...all]
      .map(([id, name]) => ({ id, name, text: display(name), tracked: known.has(id), refused: refused.has(id) }))
      .sort((a, b) => a.text.localeCompare(b.text));
  }, [source, found.data]);
  const prefix = prefixOf(source.kind);
  const each = (type: string, chosen: Trackable[], more: object = {}) => ({
    type: "bulk",
    args: chosen.map((i) => ({ type: `${prefix}_${type}`, args: { source: source.name, function: i.name, ...more } })),
  });
  return (
    <Trackables
      label="Functions"
      schemaWord={hasDatasets(source.kind) ? "Dataset" : "Schema"}
      items={items}
      pending={found.isPending}
      error={found.isLoadingError ? found.error : null}
      retry={() => void found.refetch()}
      current={current}
      open={open}
      track={(chosen) => each("track_function", chosen, exposed ? { configuration: { exposed_as: exposed } } : {})}
      untrack={(chosen) => each("untrack_function", chosen)}
    >
      <label className="inline">
        as
        <select value={exposed} onChange={(e) => setExposed(e.target.value)}>
          <option value="">what they are</option>
          <option value="query">queries</option>
          <option value="mutation">mutations</option>
        </select>
      </label>
    </Trackables>
  );
}
