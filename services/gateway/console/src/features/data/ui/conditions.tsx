import { useId, type ClipboardEvent, type KeyboardEvent } from "react";
import { Button } from "react-aria-components";
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

interface ConditionsProps {
  /** The kind of the source. */
  kind: string;
  columns: ColumnInfo[];
  filters: Filters;
  /** What the server says is wrong with a condition, by its number. */
  fault: (i: number) => string | undefined;
  change: (filters: Filters) => void;
}

/** Conditions are those that the shown rows meet. */
export function Conditions(props: ConditionsProps) {
  const { kind, columns, filters, fault, change } = props;
  const { any, list } = filters;
  const replace = (i: number, part: Partial<Filter>) =>
    change({ any, list: list.map((f, j) => (i === j ? { ...f, ...part } : f)) });
  return (
    <div className="conditions-of-rows" role="group" aria-label="Conditions">
      {list.length > 1 && (
        <label className="inline">
          Rows that meet
          <select value={any ? "any" : "all"} onChange={(e) => change({ any: e.target.value === "any", list })}>
            <option value="all">all of these conditions</option>
            <option value="any">any of these conditions</option>
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
      <div className="row">
        <Button
          className="button"
          onPress={() =>
            change({ any, list: [...list, { column: columns[0]?.name ?? "", operator: "=", value: undefined }] })
          }
        >
          {list.length > 0 ? "Add a condition" : "Filter"}
        </Button>
        {list.length > 0 && (
          <Button className="button" onPress={() => change({ any: false, list: [] })}>
            Clear the conditions
          </Button>
        )}
      </div>
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
    "aria-label": `Value of condition ${number}`,
    "aria-invalid": problem !== undefined || undefined,
    "aria-describedby": problem ? id : undefined,
    value: filter.value ?? "",
  };
  const many = takesList(filter.operator);
  return (
    <div className="row">
      <select
        aria-label={`Column of condition ${number}`}
        value={filter.column}
        onChange={(e) => change({ column: e.target.value })}
      >
        {columns.map((c) => (
          <option key={c.name}>{c.name}</option>
        ))}
      </select>
      <select
        aria-label={`Operator of condition ${number}`}
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
      <Button className="button" aria-label={`Remove condition ${number}`} onPress={remove}>
        Remove
      </Button>
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

/** Sorting is the columns that the rows are sorted by, the first one above all. */
export function Sorting(props: { columns: string[]; order: Order[]; change: (order: Order[]) => void }) {
  const { columns, order, change } = props;
  const left = columns.filter((c) => !order.some((o) => o.column === c));
  return (
    <div className="row" role="group" aria-label="Sorting">
      {order.length > 0 && <span>Sorted by</span>}
      {order.map((o, i) => (
        <span key={o.column} className="row sorted">
          <Button
            className="link"
            aria-label={`${o.column} ${o.descending ? "▼, descending" : "▲, ascending"}: turn it round`}
            onPress={() => change(order.map((p, j) => (i === j ? { ...p, descending: !p.descending } : p)))}
          >
            {o.column} {o.descending ? "▼" : "▲"}
          </Button>
          <Button
            className="link"
            aria-label={`Don't sort by ${o.column}`}
            onPress={() => change(order.filter((_, j) => i !== j))}
          >
            ×
          </Button>
        </span>
      ))}
      {left.length > 0 && (
        <label className="inline">
          {order.length > 0 ? "then by" : "Sort by"}
          <select value="" onChange={(e) => change([...order, { column: e.target.value, descending: false }])}>
            <option value="">choose a column</option>
            {left.map((c) => (
              <option key={c}>{c}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
