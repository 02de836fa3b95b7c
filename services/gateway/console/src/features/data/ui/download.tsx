import { useEffect, useRef, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { csvOf } from "../../../lib/csv";
import type { Row } from "../../../lib/json/rows";
import { Failure } from "../../../ui/failure";
import { saveFile } from "../../../lib/savefile";
import { Button } from "../../../ui/button";

/** portion is how many rows are read at once, most how many a file has: the browser holds all of it. */
const portion = 1000;
const most = 200_000;

interface DownloadProps {
  /** The file is named after it. */
  name: string;
  columns: string[];
  read: (offset: number, limit: number, signal: AbortSignal) => Promise<Row[]>;
}

/** Download writes all rows that the conditions let through into a file, as CSV. */
export function Download(props: DownloadProps) {
  const { name, columns, read } = props;
  const [done, setDone] = useState(0);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useMutation({
    mutationFn: async () => {
      const { signal } = (stop.current = new AbortController());
      const parts: string[] = [];
      let count = 0;
      for (let last = portion; last === portion && count < most;) {
        const rows = await read(count, portion, signal);
        const text = csvOf(columns, rows);
        parts.push(count === 0 ? text : text.slice(text.indexOf("\r\n") + 2));
        last = rows.length;
        count += last;
        setDone(count);
      }
      saveFile(`${name}.csv`, "text/csv", parts);
      return count;
    },
  });
  const stopped = run.error instanceof DOMException && run.error.name === "AbortError";
  return (
    <>
      <Button
        isPending={run.isPending}
        onPress={() => {
          setDone(0);
          run.mutate();
        }}
      >
        Download all as CSV
      </Button>
      {run.isPending && <Button onPress={() => stop.current?.abort()}>Stop</Button>}
      <span className="hint" role="status">
        {run.isPending
          ? `${done} rows read…`
          : run.data !== undefined
            ? `${run.data} rows written${run.data >= most ? ": a file has no more" : ""}`
            : ""}
      </span>
      {run.error && !stopped && <Failure error={run.error} />}
    </>
  );
}
