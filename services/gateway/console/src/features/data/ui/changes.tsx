import { useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../../lib/http/client";
import { textOf } from "../../../lib/json/exact";
import { draftOf, sameDraft, valuesOf, writeRow, type Draft, type Target } from "../api/edits";
import { rowKeyOf } from "../model/keys";
import type { ColumnInfo } from "../model/tables";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import type { Row } from "../../../lib/json/rows";
import { Failure } from "../../../ui/failure";

/** Edit is a row that isn't saved: as it was read, what columns are to get, and what came of the last try. */
export interface Edit {
  row: Row;
  drafts: Record<string, Draft>;
  error?: unknown;
  /** The row as somebody else has made it meanwhile. */
  now?: Row;
}

export type Edits = Record<string, Edit>;

/** mostEdits bounds how many rows wait to be saved; listed how many are listed. */
export const mostEdits = 500;
const listed = 100;

/** withDraft are edits with another draft of a cell; one that is what was read is none. */
export function withDraft(edits: Edits, key: string, row: Row, column: ColumnInfo, draft: Draft): Edits {
  const { [key]: before = { row, drafts: {} }, ...others } = edits;
  const { [column.name]: _, ...rest } = before.drafts;
  const drafts = sameDraft(draft, draftOf(column, before.row)) ? rest : { ...rest, [column.name]: draft };
  return Object.keys(drafts).length > 0 ? { ...others, [key]: { row: before.row, drafts } } : others;
}

/**
 * faultAt is what is said about a cell: what the server answered when its row was saved, where that isn't about another
 * one of its cells.
 */
export function faultAt(edit: Edit | undefined, column: string): string | undefined {
  if (!edit || !(column in edit.drafts)) return undefined;
  if (edit.now && textOf(edit.now[column]) !== textOf(edit.row[column]))
    return `Another user has made it ${shown(edit.now[column])}.`;
  if (!edit.error) return undefined;
  const message =
    edit.error instanceof ApiError
      ? `${edit.error.message} (${[edit.error.code, edit.error.path].filter(Boolean).join(" at ")})`
      : (edit.error as Error).message;
  const named = Object.keys(edit.drafts).filter((c) => names(edit.error, c));
  return named.length === 0 || named.includes(column) ? message : undefined;
}

/** names reports whether an error is about a column: by its path, or by its text. */
function names(error: unknown, column: string): boolean {
  if (!(error instanceof ApiError)) return false;
  return Boolean(error.path?.includes(`$set.${column}`)) || error.message.includes(`"${column}"`);
}

const shown = (value: unknown) => (value === null ? "NULL" : textOf(value).slice(0, 200));
const drafted = (d: Draft) => (d.how === "null" ? "NULL" : d.text.slice(0, 200));

/** Changes lists the edits and saves them, row by row: what one row is refused for isn't in the way of others. */
export function Changes(props: {
  target: Target;
  edits: Edits;
  change: (edits: (e: Edits) => Edits) => void;
  done: (said: string) => void;
}) {
  const { target, edits, change, done } = props;
  const server = useServer();
  const client = useQueryClient();
  const [saved, setSaved] = useState(0);
  const all = Object.entries(edits);
  const cells = all.reduce((n, [, e]) => n + Object.keys(e.drafts).length, 0);
  const drop = (key: string) => change(({ [key]: _, ...others }) => others);
  const save = useMutation({
    mutationFn: async (only?: string) => {
      let count = 0;
      for (const [key, edit] of all) {
        // One that another user has changed waits for a decision.
        if (only === undefined ? edit.now : key !== only) continue;
        const { values, wrong } = valuesOf(target.source.kind, target.info.columns, edit.drafts);
        try {
          const [first] = Object.values(wrong);
          if (first) throw new Error(first);
          const written = await writeRow(server, target, edit.row, values, only !== undefined);
          if (written.done) {
            drop(key);
            setSaved(++count);
          } else change((e) => ({ ...e, [key]: { ...edit, error: undefined, now: written.now } }));
        } catch (error) {
          change((e) => ({ ...e, [key]: { ...edit, error, now: undefined } }));
          if (error instanceof ApiError && error.code === "unreachable") break;
        }
      }
      return count;
    },
    onSuccess: (count) => count > 0 && done(`${count} ${count === 1 ? "row" : "rows"} saved`),
    onSettled: () => client.invalidateQueries({ queryKey: ["rows"] }),
  });
  if (all.length === 0) return null;
  const run = () => {
    setSaved(0);
    save.mutate(undefined);
  };
  const theirs = (key: string, edit: Edit) =>
    change(({ [key]: _, ...others }) => {
      const drafts = Object.fromEntries(
        Object.entries(edit.drafts).filter(([c]) => textOf(edit.now![c]) === textOf(edit.row[c])),
      );
      return Object.keys(drafts).length > 0 ? { ...others, [key]: { row: edit.now!, drafts } } : others;
    });
  return (
    <section className="pending" aria-label="Changes that aren't saved">
      <div className="row">
        <strong role="status">
          {cells} {cells === 1 ? "change" : "changes"} in {all.length} {all.length === 1 ? "row" : "rows"}
          {save.isPending && `, ${saved} saved…`}
        </strong>
        <Button look="primary" isPending={save.isPending} isDisabled={all.every(([, e]) => e.now)} onPress={run}>
          Save <kbd>Ctrl S</kbd>
        </Button>
        <Button isPending={save.isPending} onPress={() => change(() => ({}))}>
          Discard all
        </Button>
        <span className="hint">Rows are saved one by one; rows changed meanwhile are skipped.</span>
      </div>
      <ul className="changes" aria-label="Changes">
        {all.slice(0, listed).map(([key, edit]) => (
          <li key={key}>
            <div className="row">
              <span>
                {(rowKeyOf(target.source.kind, target.info, target.described, Object.keys(edit.row)) ?? [])
                  .map((c) => `${c} = ${shown(edit.row[c])}`)
                  .join(", ")}
                :
              </span>
              {Object.entries(edit.drafts).map(([c, d]) => (
                <span key={c} className="row sorted">
                  <code>{c}</code> <del className="removed">{shown(edit.row[c])}</del> →{" "}
                  <ins className="added">{drafted(d)}</ins>
                  <Button
                    look="link"
                    aria-label={`Undo ${c}`}
                    onPress={() =>
                      change((e) =>
                        withDraft(e, key, edit.row, columnOf(target, c), draftOf(columnOf(target, c), edit.row)),
                      )
                    }
                  >
                    ×
                  </Button>
                </span>
              ))}
              {edit.now && (
                <>
                  <span className="removed" role="alert">
                    Not saved, the row isn't what it was:{" "}
                    {Object.keys(edit.drafts)
                      .filter((c) => textOf(edit.now![c]) !== textOf(edit.row[c]))
                      .map((c) => `${c} is ${shown(edit.now![c])} now`)
                      .join(", ")}
                    .
                  </span>
                  <Button isPending={save.isPending} onPress={() => save.mutate(key)}>
                    Write yours
                  </Button>
                  <Button isPending={save.isPending} onPress={() => theirs(key, edit)}>
                    Take theirs
                  </Button>
                </>
              )}
            </div>
            {edit.error !== undefined && <Failure error={edit.error} />}
          </li>
        ))}
        {all.length > listed && <li className="hint">and {all.length - listed} more rows</li>}
      </ul>
    </section>
  );
}

function columnOf(target: Target, name: string): ColumnInfo {
  return target.info.columns.find((c) => c.name === name)!;
}
