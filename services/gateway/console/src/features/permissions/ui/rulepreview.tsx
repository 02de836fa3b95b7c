import { useQuery } from "@tanstack/react-query";
import { useDebounced } from "../../../lib/debounced";
import { parseExact, stringifyExact } from "../../../lib/json/exact";
import { variableIn, withVariable, type RunAs } from "../../../lib/http/runas";
import type { Row } from "../../../lib/json/rows";
import type { Name, Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { useStored } from "../../../lib/stored";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { counted } from "../../data/model/counted";
import type { Rule } from "../model/rule";
import { substituted } from "../model/substituted";
import { variablesIn } from "../api/roleschema";
import { texts } from "./texts";

/** shown is how many of the rows are listed. */
const shown = 5;

const admin: RunAs = { role: "", headers: "" };

/** RulePreview shows the rows that a rule lets through while it is edited, with session variables of one's choice. */
export function RulePreview(props: { source: Source; table: Name; rule: Rule }) {
  const [open, setOpen] = useStored(localStorage, "query-engine-rule-preview", false);
  return (
    <details className="section wide" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{texts.previewRows}</summary>
      {open && <Rows {...props} />}
    </details>
  );
}

function Rows(props: { source: Source; table: Name; rule: Rule }) {
  const { source, table, rule } = props;
  const server = useServer();
  // Session variables may be secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-rows-as", admin);
  const used = variablesIn(rule);
  const missing = used.filter((v) => !variableIn(as.headers, v));
  const where = useDebounced(stringifyExact(substituted(rule, as.headers)));
  const found = useQuery({
    queryKey: ["rows", source.name, table, "rule", where],
    enabled: missing.length === 0,
    queryFn: async ({ signal }) => {
      const args = { source: source.name, table };
      const [rows, { count }, { count: all }] = await Promise.all([
        server.rows<Row[]>(
          "select",
          { ...args, where: parseExact(where) as object, columns: ["*"], limit: shown },
          admin,
          signal,
        ),
        server.rows<{ count: number }>(
          "count",
          { ...args, where: parseExact(where) as object, limit: counted + 1 },
          admin,
          signal,
        ),
        server.rows<{ count: number }>("count", { ...args, limit: counted + 1 }, admin, signal),
      ]);
      return { rows, count, all };
    },
  });
  const names = Object.keys(found.data?.rows[0] ?? {});
  return (
    <div className="page">
      {used.length > 0 && (
        <div className="fields">
          {used.map((v) => (
            <label key={v}>
              {v}
              <input
                autoComplete="off"
                value={variableIn(as.headers, v)}
                onChange={(e) => setAs({ ...as, headers: withVariable(as.headers, v, e.target.value) })}
              />
            </label>
          ))}
        </div>
      )}
      <span role="status">
        {missing.length > 0
          ? texts.needs(missing.join(", "))
          : found.data && texts.lets(found.data.count, found.data.all, counted)}
      </span>
      {found.error && <Failure error={found.error} retry={() => void found.refetch()} />}
      {missing.length === 0 && found.data && names.length > 0 && (
        <Grid label={texts.rowsOfRule} columns={names} rows={found.data.rows.map((r) => names.map((c) => r[c]))} />
      )}
    </div>
  );
}
