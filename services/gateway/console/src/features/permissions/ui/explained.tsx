import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useDebounced } from "../../../lib/debounced";
import { variablesOf, type RunAs } from "../../../lib/http/runas";
import type { Source, Table } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { display, type TableInfo } from "../../data/model/tables";
import { matching, type Explained } from "../model/explained";
import { texts } from "./texts";

/** ExplainedRow tells which rules show a role the cells of a row, and which let it change the row. */
export function ExplainedRow(props: { source: Source; table: Table; info: TableInfo; as: RunAs }) {
  const { source, table, info, as } = props;
  const server = useServer();
  const [key, setKey] = useState<Record<string, string>>({});
  const columns = info.primary_key ?? [];
  const wanted = JSON.parse(useDebounced(JSON.stringify(key))) as Record<string, string>;
  const complete = columns.length > 0 && columns.every((c) => wanted[c]);
  const explained = useQuery({
    queryKey: ["rows", source.name, table.table, "explained", as, wanted],
    enabled: complete,
    queryFn: ({ signal }) =>
      server.metadata<Explained, "explain_permissions">(
        "explain_permissions",
        { source: source.name, table: table.table, role: as.role, session: variablesOf(as), key: wanted },
        signal,
      ),
  });
  const cells = explained.data?.select?.columns ?? [];
  return (
    <section className="form" aria-label={texts.explained}>
      <h3>{texts.explained}</h3>
      {columns.length === 0 && <p className="hint">{texts.keyless(display(table.table))}</p>}
      {columns.length > 0 && (
        <div className="fields">
          {columns.map((c) => (
            <label key={c}>
              {c}
              <input
                autoComplete="off"
                value={key[c] ?? ""}
                onChange={(e) => setKey({ ...key, [c]: e.target.value })}
              />
            </label>
          ))}
        </div>
      )}
      {!complete && columns.length > 0 && <p className="hint">{texts.giveKey}</p>}
      {complete && explained.error && <Failure error={explained.error} retry={() => void explained.refetch()} />}
      {complete && explained.data && !explained.data.found && <p role="status">{texts.noSuchRow}</p>}
      {complete && explained.data?.found && (
        <>
          <ul aria-label={texts.ruling}>
            {(["select", "update", "delete"] as const).map((operation) => (
              <li key={operation}>{texts.rulingOf(operation, ...matching(explained.data[operation]))}</li>
            ))}
          </ul>
          {cells.length > 0 && (
            <Grid
              label={texts.cells}
              columns={["column", "shows", "rule", "value"]}
              rows={cells.map((c) => [c.name, c.shows, c.rule ?? "", c.value])}
            />
          )}
        </>
      )}
    </section>
  );
}
