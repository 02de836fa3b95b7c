import { useId, useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { keyRule } from "../model/conditions";
import { valuesOf, type Draft } from "../api/edits";
import { asText } from "../model/jsontext";
import { display } from "../model/tables";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { Cancel, Window } from "../../../ui/window";
import type { ControlContext } from "./controlprops";
import type { Row } from "../../../lib/json/rows";
import { ValueInput } from "./value";

/** most is how many rows are changed at once: a mistake with more is nothing to mend by hand. */
const most = 100_000;

interface BulkEditProps {
  context: ControlContext;
  /** The columns that may be written. */
  columns: string[];
  rows: Row[];
  /** The columns by which they are found again. */
  rowKey: string[];
  /** The rule of all rows that the conditions let through. */
  where: object;
  close: () => void;
  done: (said: string) => void;
}

/** BulkEdit sets a column to a value in several rows: those that are chosen, or all that the conditions let through. */
export default function BulkEdit(props: BulkEditProps) {
  const { context, columns, rows, rowKey, close, done } = props;
  const { source, info, as } = context;
  const id = useId();
  const server = useServer();
  const client = useQueryClient();
  const [name, setName] = useState(columns[0]!);
  const [all, setAll] = useState(rows.length === 0);
  const [draft, setDraft] = useState<Draft>({ how: "value", text: "" });
  const [wrong, setWrong] = useState<string>();
  const column = info.columns.find((c) => c.name === name)!;
  const where = all ? props.where : { $or: rows.map((r) => keyRule(rowKey, r)) };
  const of = { source: source.name, table: info.name, where };
  const counted = useQuery({
    queryKey: ["rows", source.name, info.name, "bulk", where, as],
    queryFn: ({ signal }) => server.rows<{ count: number }>("count", { ...of, limit: most + 1 }, as, signal),
  });
  const count = counted.data?.count;
  const run = useMutation({
    mutationFn: async () => {
      const { values, wrong: problems } = valuesOf(source.kind, [column], { [name]: draft });
      setWrong(problems[name]);
      if (problems[name]) return;
      const { affected_rows } = await server.rows<{ affected_rows: number }>(
        "update",
        { ...of, ...asText(source.kind), $set: values },
        as,
      );
      await client.invalidateQueries({ queryKey: ["rows"] });
      done(
        `${name} set in ${affected_rows} ${affected_rows === 1 ? "row" : "rows"}${count !== undefined && affected_rows !== count ? `, not in ${count}: others were changed meanwhile, or ${as.role || "admin"} may not change them` : ""}`,
      );
      close();
    },
  });
  return (
    <Window title="Bulk edit" close={close} form edited={draft.how !== "value" || draft.text !== ""}>
      <p className="hint">
        {display(info.name)}
        {as.role && ` as ${as.role}`}
      </p>
      <div className="field">
        <label htmlFor={`${id}-rows`}>Rows</label>
        <select id={`${id}-rows`} value={all ? "all" : "chosen"} onChange={(e) => setAll(e.target.value === "all")}>
          {rows.length > 0 && <option value="chosen">those that are chosen: {rows.length}</option>}
          <option value="all">all that the conditions let through, on all pages</option>
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-column`}>Column</label>
        <select
          id={`${id}-column`}
          value={name}
          onChange={(e) => {
            setName(e.target.value);
            setWrong(undefined);
            setDraft({ how: "value", text: "" });
          }}
        >
          {columns.map((c) => (
            <option key={c}>{c}</option>
          ))}
        </select>
      </div>
      <ValueInput
        key={name}
        context={context}
        column={column}
        draft={draft}
        fault={wrong}
        insert={false}
        edit={(d) => {
          setWrong(undefined);
          setDraft(d);
        }}
      />
      {counted.error && <Failure error={counted.error} retry={() => void counted.refetch()} />}
      <p role="status" className={count !== undefined && count > most ? "removed" : undefined}>
        {count === undefined
          ? "Counting…"
          : count > most
            ? `These are more than ${most.toLocaleString("en")} rows: add conditions.`
            : `${count} ${count === 1 ? "row gets" : "rows get"} ${draft.how === "null" ? "NULL" : draft.text === "" ? "an empty text" : draft.text.slice(0, 100)} as ${name}. There is no way back.`}
      </p>
      {run.error && <Failure error={run.error} />}
      <div className="row">
        <Button
          look="primary"
          isPending={run.isPending}
          isDisabled={!count || count > most}
          onPress={() => run.mutate()}
        >
          Set in {count ?? "…"} {count === 1 ? "row" : "rows"}
        </Button>
        <Cancel />
      </div>
    </Window>
  );
}
