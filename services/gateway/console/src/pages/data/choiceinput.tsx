import { useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button, ComboBox, Input, ListBox, ListBoxItem, ListBoxLoadMoreItem, Popover } from "react-aria-components";
import { displayOf, isText, type Choices } from "../../api/choices";
import { equals, textOf } from "../../api/conditions";
import { rightsOf } from "../../api/rights";
import { infoQuery, type Row } from "../../api/tables";
import type { Table } from "../../api/types";
import { typed } from "../../api/values";
import { useServer } from "../../session";
import { useSettled } from "../../settled";
import type { ControlContext, ControlProps } from "./control";

/** portion is how many keys are read at once, most how many a list has: who looks for more searches. */
const portion = 50;
const most = 1000;

interface Choice {
  key: string;
  /** What tells people which one it is. */
  says?: string;
}

/** ChoiceInput is a value that is chosen from a list, or typed. */
export default function ChoiceInput(props: ControlProps & { choices: Choices }) {
  const { choices } = props;
  return "values" in choices ? <OfValues {...props} values={choices.values} /> : <OfKeys {...props} table={choices.table} of={choices.column} />;
}

function OfValues(props: ControlProps & { values: string[] }) {
  const { values, draft } = props;
  const [search, setSearch] = useState("");
  const found = values.filter((v) => v.toLowerCase().includes(search.toLowerCase()));
  return <Combo {...props} search={setSearch} items={(draft.text && search ? found : values).map((key) => ({ key }))} />;
}

/** OfKeys offers keys of another table, as the role sees them: those that begin, or that are searched for. */
function OfKeys(props: ControlProps & { table: Table; of: string }) {
  const { context, table, of } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, context.source, table.table));
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState(false);
  const settled = useSettled(search);
  const readable = info.data ? rightsOf(context.document, table, info.data, context.as.role).select : [];
  const shows = info.data && displayOf(info.data, of, readable);
  const columns = shows ? [of, shows.name] : [of];
  const where = info.data && settled ? searchOf(context, info.data.columns.find((c) => c.name === of)?.type ?? "", of, shows?.name, settled) : {};
  const rows = useInfiniteQuery({
    queryKey: ["rows", context.source.name, table.table, "choices", columns, where, context.as],
    enabled: open && readable.includes(of),
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      server.rows<Row[]>("select", { source: context.source.name, table: table.table, columns, where, order_by: columns.toReversed().map((column) => ({ column, type: "asc" })), limit: portion, offset: pageParam }, context.as, signal),
    getNextPageParam: (last, pages) => (last.length === portion && pages.length * portion < most ? pages.length * portion : undefined),
  });
  const items = (rows.data?.pages.flat() ?? []).map((r) => ({ key: textOf(r[of]), says: shows ? textOf(r[shows.name] ?? "") : undefined }));
  const error = info.error ?? rows.error;
  return (
    <Combo
      {...props}
      search={setSearch}
      onOpen={setOpen}
      items={items}
      more={rows.hasNextPage ? () => void rows.fetchNextPage() : undefined}
      says={rows.isFetching ? "Looking…" : error ? `The choices can't be read: ${error.message}` : info.data && !readable.includes(of) ? `${context.as.role} may not read the choices.` : "Nothing is found."}
    />
  );
}

/** searchOf is the condition of keys that are searched for: by a part of what they show, and by the key. */
function searchOf(context: ControlContext, type: string, key: string, shows: string | undefined, text: string): object {
  const like = context.source.kind === "mssql" ? "_like" : "_ilike";
  const part = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const value = isText(type) ? undefined : valueOf(type, text);
  return { $or: [...(shows ? [{ [shows]: { [like]: part } }] : []), ...(isText(type) ? [{ [key]: { [like]: part } }] : value !== undefined ? [equals(key, value)] : [])] };
}

/** valueOf is a text as a key; undefined while the database couldn't read it as one. */
function valueOf(type: string, text: string): unknown {
  if (/int/i.test(type)) return /^-?\d{1,18}$/.test(text.trim()) ? typed(type, text) : undefined;
  if (/^(uuid|uniqueidentifier)$/i.test(type)) return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text.trim()) ? text.trim() : undefined;
  return /^(numeric|decimal)$/i.test(type) && /^-?\d+(\.\d+)?$/.test(text.trim()) ? typed(type, text) : undefined;
}

/** Combo is a text with a list of choices below it. */
function Combo(props: ControlProps & { items: Choice[]; search: (text: string) => void; onOpen?: (open: boolean) => void; more?: () => void; says?: string }) {
  const { column, draft, edit, id, about, invalid, autoFocus, items, search, onOpen, more, says } = props;
  const set = (text: string) => edit({ how: "value", text });
  return (
    <ComboBox
      className="choice"
      aria-label={column.name}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="input"
      defaultFilter={() => true}
      items={items}
      inputValue={draft.how === "value" ? draft.text : ""}
      onInputChange={(text) => { if (text !== (draft.how === "value" ? draft.text : "")) { set(text); search(text); } }}
      onSelectionChange={(key) => { if (key !== null) set(String(key)); }}
      onOpenChange={(open) => { onOpen?.(open); if (!open) search(""); }}
    >
      <Input id={id} aria-describedby={about} aria-invalid={invalid || undefined} autoFocus={autoFocus} autoComplete="off" spellCheck="false" placeholder={draft.how === "null" ? "NULL" : undefined} />
      <Button className="button" aria-label={`Choices of ${column.name}`}>▾</Button>
      <Popover className="popover">
        <ListBox<Choice> renderEmptyState={() => <span className="hint" role="status">{says ?? "Nothing is found."}</span>}>
          {items.map((c) => <ListBoxItem key={c.key} id={c.key} textValue={c.key}>{c.key} {c.says !== undefined && <small className="hint">{c.says.slice(0, 100)}</small>}</ListBoxItem>)}
          {more && <ListBoxLoadMoreItem onLoadMore={more} isLoading={false}><span className="hint">More…</span></ListBoxLoadMoreItem>}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
