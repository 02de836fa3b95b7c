import { memo, use, useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import { common, comparisonQuery, type Comparison, type Operator } from "../../api/comparisons";
import { infoQuery } from "../../../data/api/tables";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { Why } from "./why";
import {
  below,
  comparesColumns,
  isRule,
  ofColumns,
  plain,
  withPart,
  without,
  type Rule,
  type Wrong,
} from "../../model/rule";
import { Operand } from "./operand";
import { startOfOperand } from "../../model/operands";
import { display } from "../../../data/model/tables";
import { Root, type Column, type Scope } from "./scope";
import { Button } from "../../../../ui/button";

interface ComparisonsProps {
  label: string;
  name: string;
  /** Of the database; undefined for a computed field, whose type is that of the schema, and for a cast. */
  type?: string;
  /** The input type of the schema that has the operators. */
  comparison: string | undefined;
  scope: Scope;
  part: unknown;
  change: (part: unknown) => void;
  wrong: Wrong | undefined;
}

/** Comparisons edits the operators of a column, of a computed field, or of a cast; a value alone means _eq. */
export function Comparisons(props: ComparisonsProps) {
  const { label, name, comparison, scope, part, change, wrong } = props;
  const server = useServer();
  const found = useQuery({ ...comparisonQuery(server, comparison ?? ""), enabled: comparison !== undefined });
  const known = found.data && found.data.operators.length > 0 ? found.data : common;
  const type = props.type ?? found.data?.of;
  const others = useColumns(scope, name, props.type);
  const operators: Operator[] = [
    ...known.operators,
    ...(Object.keys(known.casts).length > 0 ? [single("_cast")] : []),
    ...(others.length > 0 ? ofColumns.map(single) : []),
  ];
  const bare = !isRule(part);
  const compared: Rule = bare ? { _eq: part } : part;
  const free = operators.filter((o) => !(o.name in compared) && !(o.name.replace("_", "$") in compared));
  const start = (to: Operator, before: unknown) =>
    startOfOperand(to, before, others[0]?.value ?? name, type, Object.keys(known.casts)[0] ?? "text");
  const rename = (from: string, to: string) => {
    const operator = free.find((o) => o.name === to);
    if (operator)
      change(
        Object.fromEntries(Object.entries(compared).map(([o, v]) => (o === from ? [to, start(operator, v)] : [o, v]))),
      );
  };
  const add = free[0] && (
    <Button
      small
      aria-label={`${label}: add an operator to ${name}`}
      onPress={() => change({ ...compared, [free[0]!.name]: start(free[0]!, "") })}
    >
      +
    </Button>
  );
  return (
    <div className="operators">
      {Object.entries(compared).map(([o, operand], i) => (
        <div key={o} className={plain(o) === "_cast" ? "operator grouped" : "operator row"}>
          <select aria-label={`${label}: operator of ${name}`} value={o} onChange={(e) => rename(o, e.target.value)}>
            {[o, ...free.map((f) => f.name)].map((n) => (
              <option key={n}>{n}</option>
            ))}
          </select>
          <Compared
            {...props}
            known={known}
            type={type}
            operator={o}
            operand={operand}
            others={others}
            wrong={below(wrong, o)}
            change={(v) => change(bare && !isRule(v) ? v : withPart(compared, o, v))}
          />
          {Object.keys(compared).length > 1 && (
            <Button small aria-label={`${label}: remove ${o} of ${name}`} onPress={() => change(without(compared, o))}>
              −
            </Button>
          )}
          {i === 0 && add}
          <Why wrong={below(wrong, o)} />
        </div>
      ))}
      {Object.keys(compared).length === 0 && (
        <div className="row">
          <span className="hint">Any value.</span>
          {add}
        </div>
      )}
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
    </div>
  );
}

function single(name: string): Operator {
  return { name, list: false };
}

interface ComparedProps extends ComparisonsProps {
  known: Comparison;
  operator: string;
  operand: unknown;
  others: Other[];
}

/** Compared edits what an operator compares with. */
function Compared(props: ComparedProps) {
  const { label, name, type, known, operator: key, operand, others, change } = props;
  const operator = plain(key);
  const what = `${label}: value of ${name} ${key}`;
  if (operator === "_is_null" && typeof operand === "boolean") {
    return (
      <select aria-label={what} value={String(operand)} onChange={(e) => change(e.target.value === "true")}>
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  if (comparesColumns(operator) && (typeof operand === "string" || Array.isArray(operand)))
    return <Columns label={what} others={others} operand={operand} change={change} />;
  if (operator === "_cast" && isRule(operand)) return <Cast {...props} operand={operand} />;
  const found = known.operators.find((o) => o.name === operator);
  if (found?.parts && isRule(operand)) {
    return (
      <div className="row">
        {Object.entries({ ...Object.fromEntries(Object.keys(found.parts).map((p) => [p, undefined])), ...operand }).map(
          ([p, v]) => (
            <label key={p} className="inline">
              {p}
              {found.parts![p] === "Boolean" ? (
                <input
                  type="checkbox"
                  aria-label={`${what} ${p}`}
                  checked={v !== false}
                  onChange={(e) => change({ ...operand, [p]: e.target.checked })}
                />
              ) : (
                <Operand
                  label={`${what} ${p}`}
                  operator="_eq"
                  type={found.parts![p]}
                  operand={v ?? ""}
                  change={(to) => change({ ...operand, [p]: to })}
                />
              )}
            </label>
          ),
        )}
      </div>
    );
  }
  return (
    <Operand
      label={what}
      operator={operator}
      type={type}
      list={found ? found.list : Array.isArray(operand)}
      values={known.values}
      operand={operand}
      change={change}
    />
  );
}

/** Cast edits conditions on the value as another type. */
function Cast(props: ComparedProps & { operand: Rule }) {
  const { label, name, known, operand, change, scope, wrong } = props;
  const targets = Object.keys(known.casts);
  return (
    <>
      {Object.entries(operand).map(([target, part]) => (
        <div key={target} className="conditions">
          <label className="inline">
            as
            <select
              aria-label={`${label}: type of ${name} _cast`}
              value={target}
              onChange={(e) =>
                change(
                  Object.fromEntries(
                    Object.entries(operand).map(([t, p]) => (t === target ? [e.target.value, p] : [t, p])),
                  ),
                )
              }
            >
              {[...new Set([target, ...targets])].map((t) => (
                <option key={t}>{t}</option>
              ))}
            </select>
          </label>
          <Comparisons
            label={`${label} ${name}`}
            name={target}
            comparison={known.casts[target] ?? (target === "text" ? known.casts.String : undefined)}
            scope={scope}
            part={part}
            wrong={below(wrong, target)}
            change={(p) => change(withPart(operand, target, p))}
          />
        </div>
      ))}
    </>
  );
}

/**
 * Other is a column that another one can be compared with: of the same row, or of the row that the whole rule is about.
 */
interface Other {
  value: string | [string, string];
  name: string;
  group: string;
}

/** useColumns are the columns of the same type, which those of a type alone can be compared with. */
function useColumns(scope: Scope, name: string, type: string | undefined): Other[] {
  const root = use(Root);
  const server = useServer();
  const { nested } = scope.place;
  const info = useQuery({
    ...infoQuery(server, (root ?? scope.place).source, (root ?? scope.place).table),
    enabled: nested === true && root !== undefined && !root.model,
  });
  const there = nested ? info.data : undefined;
  return useMemo(() => {
    if (type === undefined) return [];
    const alike = (columns: Column[]) => columns.filter((c) => c.type === type).map((c) => c.name);
    const here = alike(scope.columns)
      .filter((c) => c !== name)
      .map((c): Other => ({ value: c, name: c, group: `Of ${display(scope.place.table)}` }));
    const outside = there
      ? alike(there.columns).map((c): Other => ({
          value: ["$", c],
          name: `$ ${c}`,
          group: `Of ${display(there.name)}, which the rule is for`,
        }))
      : [];
    return [...here, ...outside];
  }, [type, name, scope.columns, scope.place.table, there]);
}

/** Columns chooses the column that another one is compared with. */
function Columns(props: {
  label: string;
  others: Other[];
  operand: string | unknown[];
  change: (operand: unknown) => void;
}) {
  const { label, others, operand, change } = props;
  const text = JSON.stringify(operand);
  return (
    <select aria-label={label} value={text} onChange={(e) => change(JSON.parse(e.target.value))}>
      {!others.some((o) => JSON.stringify(o.value) === text) && (
        <option value={text}>{typeof operand === "string" ? operand : operand.join(" ")}</option>
      )}
      <Options others={others} />
    </select>
  );
}

/** Options may be many, which don't change while one types. */
const Options = memo(function Options(props: { others: Other[] }) {
  const { others } = props;
  const groups = [...new Set(others.map((o) => o.group))];
  return groups.map((g) => (
    <optgroup key={g} label={g}>
      {others
        .filter((o) => o.group === g)
        .map((o) => (
          <option key={o.name} value={JSON.stringify(o.value)}>
            {o.name}
          </option>
        ))}
    </optgroup>
  ));
});
