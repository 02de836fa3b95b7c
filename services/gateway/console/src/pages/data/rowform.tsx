import { useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { equals, keyRule, textOf } from "../../api/conditions";
import type { RunAs } from "../../api/runas";
import { display, type ColumnInfo, type Row, type TableInfo } from "../../api/tables";
import type { Source } from "../../api/types";
import { comparable, typed } from "../../api/values";
import { faultOf } from "../../forms/fields";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Grid } from "../../shell/grid";
import { Window } from "../../shell/window";
import { ValueInput, type Draft } from "./value";

interface RowFormProps {
  source: Source;
  info: TableInfo;
  as: RunAs;
  /** The columns that may be written. */
  columns: string[];
  /** The row to change, as it was read; undefined for a new one. */
  row?: Row;
  close: () => void;
}

/** RowForm inserts a row, or changes one, as long as it is what it was when it was read. */
export function RowForm(props: RowFormProps) {
  const { source, info, as, columns, close } = props;
  const server = useServer();
  const client = useQueryClient();
  const [row, setRow] = useState(props.row);
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [now, setNow] = useState<Row>();
  const title = row ? "Change the row" : "Insert a row";
  const target = { source: source.name, table: info.name };
  const shown = info.columns.filter((c) => columns.includes(c.name));
  const key = info.primary_key ?? [];
  const draftOf = (c: ColumnInfo): Draft => drafts[c.name] ?? initial(c, row);

  const run = useMutation({
    mutationFn: async (anyway: boolean) => {
      const { values, wrong } = valuesOf(shown.filter((c) => !row || c.name in drafts), draftOf);
      setProblems(wrong);
      if (Object.keys(wrong).length > 0) return;
      if (!row) {
        await server.rows("insert", { ...target, objects: [values] }, as);
      } else if (Object.keys(values).length > 0) {
        const guards = anyway ? [] : shown.filter((c) => c.name in values && c.name in row && comparable(source.kind, c.type)).map((c) => equals(c.name, row[c.name]));
        const { affected_rows } = await server.rows<{ affected_rows: number }>("update", { ...target, where: { $and: [keyRule(key, row), ...guards] }, $set: values }, as);
        if (affected_rows === 0) {
          const [found] = await server.rows<Row[]>("select", { ...target, columns: Object.keys(row), where: keyRule(key, row) }, as);
          if (!found) throw new Error("Nothing was changed: the row isn't there any more, or the role may not change it.");
          setNow(found);
          return;
        }
      }
      await client.invalidateQueries({ queryKey: ["rows"] });
      close();
    },
  });
  const edit = (c: ColumnInfo, draft: Draft) => {
    setDrafts({ ...drafts, [c.name]: draft });
    const { [c.name]: _, ...others } = problems;
    setProblems(others);
  };
  const faultAt = (name: string) => problems[name] ?? faultOf(run.error, `objects.${name}`) ?? faultOf(run.error, `$set.${name}`);
  const differing = shown.filter((c) => now && row && (c.name in drafts || textOf(now[c.name]) !== textOf(row[c.name])));
  return (
    <Window title={title} close={close} form>
      <p className="hint">{display(info.name)}{as.role && ` as ${as.role}`}</p>
      {now && row ? (
        <>
          <p className="removed" role="alert">Nothing was changed: the row is not what it was when it was read.</p>
          <Grid
            label="What has changed"
            columns={["column", "when it was read", "now", "yours"]}
            rows={differing.map((c) => [c.name, row[c.name], now[c.name], c.name in drafts ? shownDraft(draftOf(c)) : ""])}
          />
          {run.error && <Failure error={run.error} />}
          <div className="row">
            <Button className="button primary" isDisabled={run.isPending} onPress={() => run.mutate(true)}>Write yours</Button>
            <Button className="button" onPress={() => { setRow(now); setDrafts({}); setNow(undefined); }}>Take over what there is now</Button>
            <Button className="button" onPress={close}>Cancel</Button>
          </div>
        </>
      ) : (
        <>
          {shown.map((c) => <ValueInput key={c.name} column={c} draft={draftOf(c)} fault={faultAt(c.name)} insert={!row} edit={(d) => edit(c, d)} />)}
          {run.error && <Failure error={run.error} />}
          <div className="row">
            <Button className="button primary" isDisabled={run.isPending || (row && Object.keys(drafts).length === 0)} onPress={() => run.mutate(false)}>{row ? "Change" : "Insert"}</Button>
            <Button className="button" onPress={close}>Cancel</Button>
          </div>
        </>
      )}
    </Window>
  );
}

/** initial is what a column gets as long as nothing is typed. */
function initial(c: ColumnInfo, row: Row | undefined): Draft {
  if (row) return row[c.name] === null ? { how: "null", text: "" } : { how: "value", text: textOf(row[c.name]) };
  return { how: c.value_generated || c.nullable ? "default" : "value", text: "" };
}

function valuesOf(columns: ColumnInfo[], draftOf: (c: ColumnInfo) => Draft) {
  const values: Row = {};
  const wrong: Record<string, string> = {};
  for (const c of columns) {
    const draft = draftOf(c);
    if (draft.how === "default") continue;
    try {
      values[c.name] = draft.how === "null" ? null : typed(c.type, draft.text);
    } catch (e) {
      wrong[c.name] = (e as Error).message;
    }
  }
  return { values, wrong };
}

function shownDraft(d: Draft): string | null {
  return d.how === "null" ? null : d.text;
}
