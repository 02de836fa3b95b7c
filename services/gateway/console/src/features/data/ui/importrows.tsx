import { useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { readCSV } from "../../../lib/csv";
import { asText, sent } from "../model/jsontext";
import type { RunAs } from "../../../lib/http/runas";
import { display, type TableInfo } from "../model/tables";
import type { Source } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import type { Row } from "../../../lib/json/rows";
import { Cancel, Window } from "../../../ui/window";

/** portion is how many rows are inserted at once, in a transaction; largest is how large a file can be, in bytes. */
const portion = 500;
const largest = 50_000_000;
const shownRows = 5;

/** Read is a file that was read: its columns and rows, or what is wrong with it. */
type Read = { rows: Row[]; columns: string[] } | { problem: string };

/** ImportRows inserts the rows of a CSV file, whose first line names the columns. */
export function ImportRows(props: {
  source: Source;
  info: TableInfo;
  as: RunAs;
  columns: string[];
  close: () => void;
}) {
  const { source, info, as, columns, close } = props;
  const server = useServer();
  const client = useQueryClient();
  const [read, setRead] = useState<Read>();
  const [done, setDone] = useState(0);
  const choose = async (file: File | undefined) => {
    setDone(0);
    run.reset();
    if (!file) return setRead(undefined);
    setRead(
      file.size > largest
        ? { problem: `The file is larger than ${largest / 1e6} MB.` }
        : rowsOf(await file.text(), source.kind, info, columns),
    );
  };
  const run = useMutation({
    mutationFn: async (rows: Row[]) => {
      for (let at = done; at < rows.length; at += portion) {
        await server.rows(
          "insert",
          { source: source.name, table: info.name, ...asText(source.kind), objects: rows.slice(at, at + portion) },
          as,
        );
        setDone(Math.min(at + portion, rows.length));
      }
    },
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: ["rows"] }),
  });
  const rows = read && "rows" in read ? read.rows : undefined;
  return (
    <Window title="Import CSV" close={close} form edited={read !== undefined}>
      <p className="hint">
        {display(info.name)}
        {as.role && ` as ${as.role}`}: the first line names columns; the others get their defaults. An empty field is
        NULL, a quoted one an empty text.
      </p>
      <label className="field">
        File
        <input
          type="file"
          accept=".csv,text/csv"
          disabled={run.isPending}
          onChange={(e) => void choose(e.target.files?.[0])}
        />
      </label>
      {read && "problem" in read && (
        <p className="removed" role="alert">
          {read.problem}
        </p>
      )}
      {read && "rows" in read && (
        <>
          <Grid
            label="First rows of the file"
            columns={read.columns}
            rows={read.rows.slice(0, shownRows).map((r) => read.columns.map((c) => r[c]))}
          />
          <p className="hint" role="status">
            {done > 0 ? `${done} of ${read.rows.length} rows inserted` : `${read.rows.length} rows`}
          </p>
        </>
      )}
      {run.error && (
        <p className="removed">
          {done === 0 ? "Nothing was inserted." : `The first ${done} rows were inserted; it goes on behind them.`}
        </p>
      )}
      {run.error && <Failure error={run.error} />}
      <div className="row">
        <Button look="primary" isPending={run.isPending} isDisabled={!rows?.length} onPress={() => run.mutate(rows!)}>
          Insert {rows?.length ?? 0} rows
        </Button>
        <Cancel />
      </div>
    </Window>
  );
}

/** rowsOf reads a file. */
function rowsOf(text: string, kind: string, info: TableInfo, columns: string[]): Read {
  try {
    const [head, ...lines] = readCSV(text);
    const names = (head ?? []).map((n) => n ?? "");
    const unknown = names.find((n) => !columns.includes(n));
    if (!head || unknown !== undefined)
      throw new Error(`The table has no column ${JSON.stringify(unknown ?? "")} that can be written.`);
    if (new Set(names).size < names.length) throw new Error("A column is there twice.");
    const rows = lines.map((line, i) => {
      if (line.length !== names.length)
        throw new Error(`Row ${i + 1} has ${line.length} fields, and there are ${names.length} columns.`);
      return Object.fromEntries(names.map((n, j) => [n, valueOf(kind, info, n, line[j]!, i + 1)]));
    });
    return { rows, columns: names };
  } catch (e) {
    return { problem: (e as Error).message };
  }
}

function valueOf(kind: string, info: TableInfo, column: string, text: string | null, row: number): unknown {
  try {
    return text === null ? null : sent(kind, info.columns.find((c) => c.name === column)!.type, text);
  } catch (e) {
    throw new Error(`Row ${row}, ${column}: ${(e as Error).message}`);
  }
}
