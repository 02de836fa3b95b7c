import { useState } from "react";
import { csvOfLines } from "../../../lib/csv";
import { Grid } from "../../../ui/grid";
import { saveFile } from "../../../lib/savefile";
import { mostRows, type StatementResult } from "../api/run";
import { Button } from "../../../ui/button";

/** portion is how many rows are drawn at first, and more at a time; shownResults bounds how many results are. */
const portion = 200;
const shownResults = 50;

/** Results shows what each of several statements gave. */
export function Results(props: { results: StatementResult[] }) {
  const { results } = props;
  const tables = results.filter((r) => r.columns).length;
  let number = 0;
  return (
    <>
      {results.slice(0, shownResults).map((r, i) => {
        const name = r.columns && (tables === 1 ? "Result" : `Result ${++number}`);
        return <Result key={i} result={r} name={name} place={results.length > 1 ? `${i + 1}. ` : ""} />;
      })}
      {results.length > shownResults && (
        <p className="hint">{results.length - shownResults} more statements ran, whose results aren't shown.</p>
      )}
    </>
  );
}

function Result(props: { result: StatementResult; name?: string; place: string }) {
  const { result, name, place } = props;
  const { columns, rows = [], row_count: count = rows.length, command = "" } = result;
  const [shown, setShown] = useState(portion);
  if (!columns)
    return (
      <p className="hint">
        {place}
        {command || "Done"}
        {/\d$/.test(command) || result.row_count === undefined ? "" : `: ${countOf(count)} written`}
      </p>
    );
  const file = name!.toLowerCase().replace(" ", "-");
  return (
    <section className="panel" aria-label={name}>
      <div className="row">
        <h2>
          {place}
          {countOf(count)}
        </h2>
        {count > rows.length && <span className="hint">Only the first {mostRows.toLocaleString("en")} were read.</span>}
        <Button onPress={() => saveFile(`${file}.csv`, "text/csv", [csvOfLines(columns, rows)])}>
          Download as CSV
        </Button>
        <Button onPress={() => saveFile(`${file}.json`, "application/json", [jsonOf(columns, rows)])}>
          Download as JSON
        </Button>
      </div>
      <Grid label={name!} columns={columns} rows={rows.slice(0, shown)} />
      {rows.length > shown && (
        <div className="row">
          <Button onPress={() => setShown(shown + portion)}>Show {Math.min(portion, rows.length - shown)} more</Button>
          <span className="hint">{shown.toLocaleString("en")} are shown</span>
        </div>
      )}
    </section>
  );
}

export function countOf(rows: number): string {
  return rows === 1 ? "1 row" : `${rows.toLocaleString("en")} rows`;
}

/** jsonOf is rows as objects; as lists where columns have the same name. */
function jsonOf(columns: string[], rows: unknown[][]): string {
  const distinct = new Set(columns).size === columns.length;
  return (
    JSON.stringify(
      distinct ? rows.map((r) => Object.fromEntries(columns.map((c, i) => [c, r[i]]))) : { columns, rows },
      null,
      2,
    ) + "\n"
  );
}
