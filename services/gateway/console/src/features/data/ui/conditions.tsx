import { useId, type ClipboardEvent, type KeyboardEvent, type ReactNode } from "react";
import {
  operatorNames,
  problemOf,
  takesList,
  takesValue,
  type Filter,
  type Filters,
  type Order,
} from "../model/filters";
import { withLineEnds } from "../../../lib/lineends";
import type { ColumnInfo } from "../model/tables";
import { isTruth } from "../model/values";
import { Button } from "../../../ui/button";
import { icons } from "../../../ui/icons";
import { texts } from "./texts";

interface FiltersProps {
  /** The kind of the source. */
  kind: string;
  columns: ColumnInfo[];
  filters: Filters;
  /** What the server says is wrong with a condition, by its number. */
  fault: (i: number) => string | undefined;
  change: (filters: Filters) => void;
  /** What stands next to them: the order of the rows. */
  children: ReactNode;
}

/** AddFilter adds a condition to those that the shown rows meet. */
export function AddFilter(props: { columns: ColumnInfo[]; filters: Filters; change: (filters: Filters) => void }) {
  const { columns, filters, change } = props;
  const { any, list } = filters;
  return (
    <Button
      look="quiet"
      icon={icons.ListFilter}
      onPress={() =>
        change({ any, list: [...list, { column: columns[0]?.name ?? "", operator: "=", value: undefined }] })
      }
    >
      {list.length > 0 ? texts.addFilter : texts.filter}
    </Button>
  );
}

/** Filters are the conditions that the shown rows meet. */
export function Filters(props: FiltersProps) {
  const { kind, columns, filters, fault, change, children } = props;
  const { any, list } = filters;
  const replace = (i: number, part: Partial<Filter>) =>
    change({ any, list: list.map((f, j) => (i === j ? { ...f, ...part } : f)) });
  return (
    <div className="filters">
      {list.length > 0 && (
        <div className="filters" role="group" aria-label={texts.filters}>
          {list.length > 1 && (
            <label className="inline">
              Rows that meet
              <select value={any ? "any" : "all"} onChange={(e) => change({ any: e.target.value === "any", list })}>
                <option value="all">all filters</option>
                <option value="any">any filter</option>
              </select>
            </label>
          )}
          {list.map((f, i) => (
            <Condition
              key={i}
              kind={kind}
              number={i + 1}
              columns={columns}
              filter={f}
              fault={fault(i)}
              change={(part) => replace(i, part)}
              remove={() => change({ any, list: list.filter((_, j) => i !== j) })}
            />
          ))}
          <Button look="quiet" onPress={() => change({ any: false, list: [] })}>
            {texts.clearFilters}
          </Button>
        </div>
      )}
      {children}
    </div>
  );
}

function Condition(props: {
  kind: string;
  number: number;
  columns: ColumnInfo[];
  filter: Filter;
  fault: string | undefined;
  change: (part: Partial<Filter>) => void;
  remove: () => void;
}) {
  const { kind, number, columns, filter, fault, change, remove } = props;
  const id = useId();
  const type = columns.find((c) => c.name === filter.column)?.type ?? "";
  const problem = problemOf(kind, filter, columns) ?? fault;
  const control = {
    "aria-label": `Value of filter ${number}`,
    "aria-invalid": problem !== undefined || undefined,
    "aria-describedby": problem ? id : undefined,
    value: filter.value ?? "",
  };
  const many = takesList(filter.operator);
  return (
    <div className="filter">
      <select
        aria-label={`Column of filter ${number}`}
        value={filter.column}
        onChange={(e) => change({ column: e.target.value })}
      >
        {columns.map((c) => (
          <option key={c.name}>{c.name}</option>
        ))}
      </select>
      <select
        aria-label={`Operator of filter ${number}`}
        value={filter.operator}
        onChange={(e) => change({ operator: e.target.value })}
      >
        {operatorNames.map((o) => (
          <option key={o}>{o}</option>
        ))}
      </select>
      {takesValue(filter.operator) &&
        (isTruth(type) && !many ? (
          <select {...control} onChange={(e) => change({ value: e.target.value })}>
            <option value="" />
            <option>true</option>
            <option>false</option>
          </select>
        ) : (
          <textarea
            {...control}
            rows={Math.min(4, control.value.split("\n").length)}
            spellCheck={false}
            placeholder={many ? 'a, b, "c, d"' : /like/.test(filter.operator) ? "%part%" : undefined}
            onKeyDown={lineEndByShift}
            onPaste={(e) => paste(e, control.value, (value) => change({ value }))}
            onChange={(e) => change({ value: withLineEnds(e.target.value, control.value) })}
          />
        ))}
      <Button look="quiet" small icon={icons.X} label={`Remove filter ${number}`} onPress={remove} />
      {problem && (
        <span className="removed" id={id}>
          {problem}
        </span>
      )}
    </div>
  );
}

/** lineEndByShift keeps Enter from being a part of the value, as in cells. */
function lineEndByShift(e: KeyboardEvent) {
  if (e.key === "Enter" && !e.shiftKey) e.preventDefault();
}

/**
 * paste takes a text with the line ends that it has where it is the whole value: controls have one kind of their own.
 */
function paste(e: ClipboardEvent<HTMLTextAreaElement>, before: string, set: (value: string) => void) {
  const text = e.clipboardData.getData("text/plain");
  const { selectionStart, selectionEnd, value } = e.currentTarget;
  if (!text.includes("\r") || (before !== "" && selectionEnd - selectionStart < value.length)) return;
  e.preventDefault();
  set(text);
}

/** SortBy adds a column to those that the rows are sorted by. */
export function SortBy(props: { columns: string[]; order: Order[]; change: (order: Order[]) => void }) {
  const { columns, order, change } = props;
  const left = columns.filter((c) => !order.some((o) => o.column === c));
  if (left.length === 0) return null;
  return (
    <select
      aria-label={order.length > 0 ? texts.thenBy : texts.sortBy}
      className="as-button"
      value=""
      onChange={(e) => change([...order, { column: e.target.value, descending: false }])}
    >
      <option value="">{texts.sort}</option>
      {left.map((c) => (
        <option key={c}>{c}</option>
      ))}
    </select>
  );
}

/** Sorting is the columns that the rows are sorted by, the first one above all. */
export function Sorting(props: { order: Order[]; change: (order: Order[]) => void }) {
  const { order, change } = props;
  if (order.length === 0) return null;
  return (
    <div className="filters" role="group" aria-label={texts.sorting}>
      {order.map((o, i) => (
        <span key={o.column} className="filter">
          <Button
            look="quiet"
            small
            icon={o.descending ? icons.ArrowDown : icons.ArrowUp}
            aria-label={texts.sortedBy(o.column, o.descending)}
            onPress={() => change(order.map((p, j) => (i === j ? { ...p, descending: !p.descending } : p)))}
          >
            {o.column}
          </Button>
          <Button
            look="quiet"
            small
            icon={icons.X}
            label={texts.dontSort(o.column)}
            onPress={() => change(order.filter((_, j) => i !== j))}
          />
        </span>
      ))}
    </div>
  );
}
