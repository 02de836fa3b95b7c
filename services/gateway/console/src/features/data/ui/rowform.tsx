import { useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { textOf } from "../../../lib/json/exact";
import { draftOf, sameDraft, valuesOf, writeRow, type Draft } from "../api/edits";
import { asText } from "../model/jsontext";
import { type ColumnInfo, display } from "../model/tables";
import { faultOf } from "../../../ui/forms/fields";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { Cancel, Window } from "../../../ui/window";
import type { ControlContext, Together } from "./controlprops";
import type { Row } from "../../../lib/json/rows";
import { ValueInput } from "./value";

interface RowFormProps {
  context: ControlContext;
  /** The columns that may be written. */
  columns: string[];
  /** The row to change, as it was read; undefined for a new one. */
  row?: Row;
  close: () => void;
}

/** RowForm inserts a row, or changes one, as long as it is what it was when it was read. */
export function RowForm(props: RowFormProps) {
  const { context, columns, close } = props;
  const { source, info, as } = context;
  const server = useServer();
  const client = useQueryClient();
  const [row, setRow] = useState(props.row);
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [now, setNow] = useState<Row>();
  const title = row ? "Edit row" : "Insert row";
  const shown = info.columns.filter((c) => columns.includes(c.name));
  const draftIn = (c: ColumnInfo): Draft => drafts[c.name] ?? initial(c, row);

  const run = useMutation({
    mutationFn: async (anyway: boolean) => {
      const { values, wrong } = valuesOf(
        source.kind,
        shown,
        row ? drafts : Object.fromEntries(shown.map((c) => [c.name, draftIn(c)])),
      );
      setProblems(wrong);
      if (Object.keys(wrong).length > 0) return;
      if (!row) {
        await server.rows(
          "insert",
          { source: source.name, table: info.name, ...asText(source.kind), objects: [values] },
          as,
        );
      } else if (Object.keys(values).length > 0) {
        const written = await writeRow(server, context, row, values, anyway);
        if (!written.done) return setNow(written.now);
      }
      await client.invalidateQueries({ queryKey: ["rows"] });
      close();
    },
  });
  const edit = (to: Record<string, Draft>) => {
    setDrafts((all) => ({ ...all, ...to }));
    setProblems((all) => Object.fromEntries(Object.entries(all).filter(([c]) => !(c in to))));
  };
  const together: Together = {
    draftOf: (name) => {
      const c = info.columns.find((of) => of.name === name)!;
      return columns.includes(name) ? draftIn(c) : row && name in row ? draftOf(c, row) : undefined;
    },
    isWritable: (name) => columns.includes(name),
    choose: edit,
  };
  const faultAt = (name: string) =>
    problems[name] ?? faultOf(run.error, `objects.${name}`) ?? faultOf(run.error, `$set.${name}`);
  const differing = shown.filter(
    (c) => now && row && (c.name in drafts || textOf(now[c.name]) !== textOf(row[c.name])),
  );
  return (
    <Window title={title} close={close} form side edited={shown.some((c) => !sameDraft(draftIn(c), initial(c, row)))}>
      <p className="hint">
        {display(info.name)}
        {as.role && ` as ${as.role}`}
      </p>
      {now && row ? (
        <>
          <p className="removed" role="alert">
            Nothing was changed: the row is not what it was when it was read.
          </p>
          <Grid
            label="What has changed"
            columns={["column", "when it was read", "now", "yours"]}
            rows={differing.map((c) => [
              c.name,
              row[c.name],
              now[c.name],
              c.name in drafts ? shownDraft(draftIn(c)) : "",
            ])}
          />
          {run.error && <Failure error={run.error} />}
          <div className="row">
            <Button look="primary" isPending={run.isPending} onPress={() => run.mutate(true)}>
              Write yours
            </Button>
            <Button
              onPress={() => {
                setRow(now);
                setDrafts({});
                setNow(undefined);
              }}
            >
              Take over what there is now
            </Button>
            <Cancel />
          </div>
        </>
      ) : (
        <>
          {shown.map((c) => (
            <ValueInput
              key={c.name}
              context={context}
              column={c}
              draft={draftIn(c)}
              fault={faultAt(c.name)}
              insert={!row}
              edit={(d) => edit({ [c.name]: d })}
              together={together}
            />
          ))}
          {run.error && <Failure error={run.error} />}
          <div className="row">
            <Button
              look="primary"
              isPending={run.isPending}
              isDisabled={row && Object.keys(drafts).length === 0}
              onPress={() => run.mutate(false)}
            >
              {row ? "Change" : "Insert"}
            </Button>
            <Cancel />
          </div>
        </>
      )}
    </Window>
  );
}

/** initial is what a column gets as long as nothing is typed. */
function initial(c: ColumnInfo, row: Row | undefined): Draft {
  return row ? draftOf(c, row) : { how: c.value_generated || c.nullable ? "default" : "value", text: "" };
}

function shownDraft(d: Draft): string | null {
  return d.how === "null" ? null : d.text;
}
