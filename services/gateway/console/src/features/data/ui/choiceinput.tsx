import { useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ComboBox, Input, ListBox, ListBoxItem, ListBoxLoadMoreItem, Popover } from "react-aria-components";
import { displayOf, isText, type Choices, type KeyChoices } from "../model/choices";
import { equals } from "../model/conditions";
import { rightsOf } from "../../permissions/model/rights";
import type { Draft } from "../api/edits";
import { infoQuery } from "../api/tables";
import { typed } from "../model/values";
import { useServer } from "../../../lib/session";
import { useDebounced } from "../../../lib/debounced";
import type { Row } from "../../../lib/json/rows";
import { textOf } from "../../../lib/json/exact";
import type { ColumnInfo } from "../model/tables";
import type { ControlContext, ControlProps } from "./controlprops";
import { Button } from "../../../ui/button";

/** portion is how many keys are read at once, most how many a list has: who looks for more searches. */
const portion = 50;
const most = 1000;

interface Choice {
  key: string;
  /** The text of the column, where the key has others. */
  text?: string;
  /** What the columns of the key get. */
  drafts?: Record<string, Draft>;
  /** What tells people which one it is. */
  says?: string;
}

/** ChoiceInput is a value that is chosen from a list, or typed. */
export default function ChoiceInput(props: ControlProps & { choices: Choices }) {
  const { choices } = props;
  return "values" in choices ? (
    <OfValues {...props} values={choices.values} />
  ) : (
    <OfKeys {...props} choices={choices} />
  );
}

function OfValues(props: ControlProps & { values: string[] }) {
  const { values, draft } = props;
  const [search, setSearch] = useState("");
  const found = values.filter((v) => v.toLowerCase().includes(search.toLowerCase()));
  return (
    <Combo {...props} search={setSearch} items={(draft.text && search ? found : values).map((key) => ({ key }))} />
  );
}

/** OfKeys offers keys of another table, as the role sees them: those that begin, or that are searched for. */
function OfKeys(props: ControlProps & { choices: KeyChoices }) {
  const {
    context,
    choices: { table, column: of, mapping, shared },
    together,
  } = props;
  const others = Object.entries(mapping).filter(([, there]) => there !== of);
  // The column that is chosen for comes first.
  const keys = [of, ...others.map(([, there]) => there)];
  // A choice leaves alone what can't be written, and what another foreign key has its choice by.
  const kept = others
    .filter(([here]) => shared.includes(here) || !together?.isWritable(here))
    .flatMap(([here, there]) => {
      const draft = together?.draftOf(here);
      return draft?.how === "value" && draft.text !== "" ? [{ here, there, text: draft.text }] : [];
    });
  const server = useServer();
  const info = useQuery(infoQuery(server, context.source, table.table));
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState(false);
  const settled = useDebounced(search);
  const readable = info.data ? rightsOf(context.document, table, info.data, context.as.role).select : [];
  const shows = info.data && displayOf(info.data, keys, readable);
  const columns = shows ? [...keys, shows.name] : keys;
  const allowed = keys.every((c) => readable.includes(c));
  const found =
    info.data && settled
      ? [
          searchOf(
            context,
            info.data.columns.filter((c) => keys.includes(c.name)),
            shows?.name,
            settled,
          ),
        ]
      : [];
  // No foreign key refers to NULL.
  const some = (info.data?.columns ?? [])
    .filter((c) => keys.includes(c.name) && c.nullable)
    .map((c) => ({ [c.name]: { _is_null: false } }));
  const where = {
    $and: [
      ...found,
      ...some,
      ...kept.map(({ there, text }) =>
        equals(there, valueOf(info.data?.columns.find((c) => c.name === there)?.type ?? "", text) ?? text),
      ),
    ],
  };
  const rows = useInfiniteQuery({
    queryKey: ["rows", context.source.name, table.table, "choices", columns, where, context.as],
    enabled: open && info.data !== undefined && allowed,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      server.rows<Row[]>(
        "select",
        {
          source: context.source.name,
          table: table.table,
          columns,
          where,
          order_by: columns.toReversed().map((column) => ({ column, type: "asc" })),
          limit: portion,
          offset: pageParam,
        },
        context.as,
        signal,
      ),
    getNextPageParam: (last, pages) =>
      last.length === portion && pages.length * portion < most ? pages.length * portion : undefined,
  });
  const items = (rows.data?.pages.flat() ?? []).map((r): Choice => {
    const says =
      [
        ...others.map(([here, there]) => `${here} ${textOf(r[there])}`),
        ...(shows ? [textOf(r[shows.name] ?? "")] : []),
      ].join(", ") || undefined;
    if (others.length === 0) return { key: textOf(r[of]), says };
    const drafts = Object.fromEntries(
      Object.entries(mapping).map(([here, there]): [string, Draft] => [here, { how: "value", text: textOf(r[there]) }]),
    );
    return { key: JSON.stringify(keys.map((c) => textOf(r[c]))), text: textOf(r[of]), drafts, says };
  });
  const error = info.error ?? rows.error;
  return (
    <Combo
      {...props}
      search={setSearch}
      onOpen={setOpen}
      items={items}
      more={rows.hasNextPage ? () => void rows.fetchNextPage() : undefined}
      says={
        rows.isFetching
          ? "Looking…"
          : error
            ? `The choices can't be read: ${error.message}`
            : info.data && !allowed
              ? `${context.as.role} may not read the choices.`
              : `Nothing is found${kept.length > 0 ? ` with ${kept.map(({ here, text }) => `${here} ${text}`).join(", ")}` : ""}.`
      }
    />
  );
}

/**
 * searchOf is the condition of keys that are searched for: by a part of what they show, and by the columns of the key.
 */
function searchOf(context: ControlContext, keys: ColumnInfo[], shows: string | undefined, text: string): object {
  const like = context.source.kind === "mssql" ? "_like" : "_ilike";
  const part = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const found = keys.map(({ name, type }) => {
    const value = isText(type) ? undefined : valueOf(type, text);
    return isText(type) ? { [name]: { [like]: part } } : value !== undefined ? equals(name, value) : undefined;
  });
  return { $or: [...(shows ? [{ [shows]: { [like]: part } }] : []), ...found.filter((rule) => rule !== undefined)] };
}

/** valueOf is a text as a key; undefined while the database couldn't read it as one. */
function valueOf(type: string, text: string): unknown {
  if (/int/i.test(type)) return /^-?\d{1,18}$/.test(text.trim()) ? typed(type, text) : undefined;
  if (/^(uuid|uniqueidentifier)$/i.test(type))
    return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text.trim()) ? text.trim() : undefined;
  return /^(numeric|decimal)$/i.test(type) && /^-?\d+(\.\d+)?$/.test(text.trim()) ? typed(type, text) : undefined;
}

/** Combo is a text with a list of choices below it. */
function Combo(
  props: ControlProps & {
    items: Choice[];
    search: (text: string) => void;
    onOpen?: (open: boolean) => void;
    more?: () => void;
    says?: string;
  },
) {
  const { column, draft, edit, together, id, about, invalid, autoFocus, items, search, onOpen, more, says } = props;
  // What was chosen is the choice only until the list is closed. The list would go back to it otherwise, whatever was
  // typed since.
  const [chosen, setChosen] = useState<string | null>(null);
  const set = (text: string) => edit({ how: "value", text });
  const choose = (key: string) => {
    setChosen(key);
    const drafts = items.find((c) => c.key === key)?.drafts;
    if (drafts) together?.choose(drafts);
    else set(key);
  };
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
      onInputChange={(text) => {
        if (text !== (draft.how === "value" ? draft.text : "")) {
          set(text);
          search(text);
        }
      }}
      selectedKey={chosen}
      onSelectionChange={(key) => {
        if (key !== null) choose(String(key));
      }}
      onOpenChange={(open) => {
        onOpen?.(open);
        if (!open) {
          search("");
          setChosen(null);
        }
      }}
    >
      <Input
        id={id}
        aria-describedby={about}
        aria-invalid={invalid || undefined}
        autoFocus={autoFocus}
        autoComplete="off"
        spellCheck="false"
        placeholder={draft.how === "null" ? "NULL" : undefined}
      />
      <Button aria-label={`Choices of ${column.name}`}>▾</Button>
      <Popover className="popover">
        <ListBox<Choice>
          renderEmptyState={() => (
            <span className="hint" role="status">
              {says ?? "Nothing is found."}
            </span>
          )}
        >
          {items.map((c) => (
            <ListBoxItem key={c.key} id={c.key} textValue={c.text ?? c.key}>
              {c.text ?? c.key} {c.says !== undefined && <small className="hint">{c.says.slice(0, 100)}</small>}
            </ListBoxItem>
          ))}
          {more && (
            <ListBoxLoadMoreItem onLoadMore={more} isLoading={false}>
              <span className="hint">More…</span>
            </ListBoxLoadMoreItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
