import { useId, useState } from "react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { comparisonsOf, comparisonsQuery, valuesOf } from "../../api/comparisons";
import { linksOf, targetOf, type Link } from "../../api/related";
import { display, infoQuery, keyOf, schemaOf } from "../../api/tables";
import type { LogicalModel, Name, Source, Table } from "../../api/types";
import type { ControlProps } from "../../forms/controls";
import { at } from "../../forms/fields";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Operand } from "./operand";

type Rule = Record<string, unknown>;

/** deepest bounds how far rules in rules are shown by controls; the text has all of them. */
const deepest = 12;

/** RuleField edits a rule by its conditions, and as JSON next to them. */
export function RuleField(props: ControlProps & { source: Source; table: Name; model?: LogicalModel }) {
  const { field, value, fault, change, report, source, table, model } = props;
  const id = useId();
  const part = at(value, field.path);
  const [text, setText] = useState<string>();
  const edit = (typed: string) => {
    setText(typed);
    try {
      const read: unknown = typed.trim() ? JSON.parse(typed) : undefined;
      if (read !== undefined && !isRule(read) && read !== null) throw new Error();
      change(read);
      report(undefined);
    } catch {
      report("This isn't an object of JSON.");
    }
  };
  return (
    <fieldset className="rule" aria-describedby={fault ? `${id}-fault` : `${id}-hint`}>
      <legend>{field.label}</legend>
      <div className="rule-both">
        {part === undefined || part === null
          ? <div><Button className="button" onPress={() => { setText(undefined); change({}); }}>{field.label}: add a rule</Button></div>
          : isRule(part) && <RuleEditor label={field.label} rule={part} change={(r) => { setText(undefined); report(undefined); change(r); }} source={source} table={table} model={model} wrong={wrongOf(fault)} depth={0} />}
        <label className="field">As JSON
          <textarea aria-label={`${field.label} as JSON`} aria-invalid={fault ? true : undefined} rows={5} spellCheck="false" value={text ?? (part === undefined ? "" : JSON.stringify(part, null, 2))} onChange={(e) => edit(e.target.value)} />
        </label>
      </div>
      <span className="hint" id={`${id}-hint`}>{field.hint}</span>
      {fault && <span className="removed" id={`${id}-fault`}>{fault}</span>}
    </fieldset>
  );
}

interface RuleProps {
  /** What the rule is called, for those who don't see where it is. */
  label: string;
  rule: Rule;
  change: (rule: Rule) => void;
  source: Source;
  table: Name;
  /** The logical model whose rows the rule is about, in the place of a table. */
  model?: LogicalModel;
  wrong: Wrong | undefined;
  depth: number;
}

/** Wrong is what is wrong with a part of a rule: the keys that lead to it, and why. */
interface Wrong {
  steps: string[];
  message: string;
}

/** wrongOf reads the place in a rule that an error begins with, as in _or[1].id._foo: … */
function wrongOf(fault: string | undefined): Wrong | undefined {
  const [, place, message] = /^([^\s:]+): ([^]*)$/.exec(fault ?? "") ?? [];
  if (!place || !message) return undefined;
  return { steps: [...place.matchAll(/\["([^"]*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map((m) => m[1] ?? m[2] ?? m[3]!), message };
}

/** below is what is wrong below a key. */
function below(wrong: Wrong | undefined, ...keys: (string | number)[]): Wrong | undefined {
  return wrong && keys.every((k, i) => wrong.steps[i] === String(k)) ? { ...wrong, steps: wrong.steps.slice(keys.length) } : undefined;
}

/** Why shows what is wrong with just this part. */
function Why(props: { wrong: Wrong | undefined }) {
  return props.wrong?.steps.length === 0 ? <span className="removed">{props.wrong.message}</span> : null;
}

/** RuleEditor edits the conditions of one rule, all of which have to hold. */
function RuleEditor(props: RuleProps) {
  const { label, rule, change, source, table, model, wrong, depth } = props;
  const server = useServer();
  const info = useQuery({ ...infoQuery(server, source, table), enabled: model === undefined });
  const tracked = model ? { table } : source.tables.find((t) => keyOf(t.table) === keyOf(table));
  const links = tracked ? linksOf(tracked) : [];
  const computed = tracked?.computed_fields ?? [];
  const columns: { name: string; type?: string }[] = model ? model.fields.map((f) => ({ name: f.name, type: scalarIn(f.type) })) : (info.data?.columns ?? []);
  const used = new Set(Object.keys(rule));
  const replace = (key: string, part: unknown) => change(Object.fromEntries(Object.entries(rule).map(([k, v]) => [k, k === key ? part : v])));
  const remove = (key: string) => change(Object.fromEntries(Object.entries(rule).filter(([k]) => k !== key)));
  const add = (key: string) => change({ ...rule, [key]: startOfCondition(key, columns.some((c) => c.name === key) || computed.some((f) => f.name === key)) });
  const free = (names: string[]) => names.filter((n) => !used.has(n)).map((n) => <option key={n}>{n}</option>);
  if (depth > deepest) return <p className="hint">Deeper rules are edited as JSON.</p>;
  return (
    <div className="conditions" role="group" aria-label={label}>
      {info.isLoadingError && <Failure error={info.error} retry={() => void info.refetch()} />}
      {used.size === 0 && <span className="hint">Every row.</span>}
      {Object.entries(rule).map(([key, part]) => {
        const kind = kindOf(key, links);
        const drop = <Button className="button small" aria-label={`${label}: remove ${key}`} onPress={() => remove(key)}>×</Button>;
        return (
          <div key={key} className={kind === undefined ? "condition" : "condition grouped"}>
            <div className="row">
              <strong>{key}</strong>
              {kind !== undefined && <><span className="hint">{kind}</span>{drop}</>}
              <Why wrong={below(wrong, key)} />
            </div>
            <Condition {...props} wrong={below(wrong, key)} tracked={tracked} link={links.find((l) => l.name === key)} name={key} type={columns.find((c) => c.name === key)?.type} columns={columns.map((c) => c.name)} part={part} replace={(p) => replace(key, p)} />
            {kind === undefined && <div className="row">{drop}</div>}
          </div>
        );
      })}
      <select aria-label={`${label}: add a condition`} value="" onChange={(e) => e.target.value && add(e.target.value)}>
        <option value="">add a condition…</option>
        <optgroup label="Columns">{free(columns.map((c) => c.name))}</optgroup>
        {computed.length > 0 && <optgroup label="Computed fields">{free(computed.map((f) => f.name))}</optgroup>}
        {links.length > 0 && <optgroup label="Relationships">{free(links.map((l) => l.name))}</optgroup>}
        <optgroup label="Rules">{free(["_and", "_or", "_not", "_exists"])}</optgroup>
      </select>
    </div>
  );
}

/** kindOf says what a rule does with the rules in it; undefined for comparisons. */
function kindOf(key: string, links: Link[]): string | undefined {
  const said: Record<string, string> = { _and: "all of these hold", _or: "one of these holds", _not: "this doesn't hold", _exists: "there is a row, of any table" };
  const link = links.find((l) => l.name === key);
  return link ? (link.array ? "there is a related row" : "the related row") : said[key.replace(/^\$/, "_")];
}

/** Condition edits what a rule says about one of its keys. */
function Condition(props: RuleProps & { tracked: Table | undefined; link: Link | undefined; name: string; type: string | undefined; columns: string[]; part: unknown; replace: (part: unknown) => void }) {
  const { label, tracked, link, name, type, columns, part, replace, source, table, model, wrong, depth } = props;
  const inner = { source, depth: depth + 1, wrong };
  switch (name.replace(/^\$/, "_")) {
    case "_and":
    case "_or": {
      if (!Array.isArray(part) || !part.every(isRule)) return <Text part={part} />;
      const list = part;
      return (
        <>
          {list.map((r, i) => (
            <div key={i} className="alternative">
              <RuleEditor {...inner} wrong={below(wrong, i)} label={`${label} ${name} ${i + 1}`} table={table} model={model} rule={r} change={(n) => replace(list.map((o, j) => (i === j ? n : o)))} />
              <Button className="button small" aria-label={`${label}: remove this rule, ${i + 1} of ${name}`} onPress={() => replace(list.filter((_, j) => i !== j))}>Remove this rule</Button>
            </div>
          ))}
          <Button className="button small" aria-label={`${label}: add a rule to ${name}`} onPress={() => replace([...list, {}])}>Add a rule</Button>
        </>
      );
    }
    case "_not":
      return isRule(part) ? <RuleEditor {...inner} label={`${label} ${name}`} table={table} model={model} rule={part} change={replace} /> : <Text part={part} />;
    case "_exists":
      return isRule(part) ? <Exists {...inner} label={label} part={part} replace={replace} /> : <Text part={part} />;
  }
  if (link) return isRule(part) ? <Related {...inner} label={`${label} ${name}`} table={table} link={link} rule={part} change={replace} /> : <Text part={part} />;
  return <Comparisons {...inner} label={label} tracked={tracked} name={name} type={type} columns={columns} part={part} replace={replace} />;
}

/** Related edits a rule about the rows that a relationship leads to. */
function Related(props: RuleProps & { link: Link }) {
  const { source, table, link } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table));
  const [target] = useQueries({
    queries: [{
      queryKey: ["metadata", "target", source.name, table, link],
      enabled: info.data !== undefined,
      queryFn: () => targetOf(source, info.data!, link, (t) => server.ofSource(source.kind, "get_table_info", { source: source.name, table: t })),
    }],
  });
  if (target.isLoadingError) return <Failure error={target.error} />;
  return target.data ? <RuleEditor {...props} table={target.data.table} /> : <span className="hint">…</span>;
}

/** Exists edits a rule about rows of another table. */
function Exists(props: { label: string; part: Rule; replace: (part: unknown) => void; source: Source; wrong: Wrong | undefined; depth: number }) {
  const { label, part, replace, source, wrong, depth } = props;
  const said = part._table as Name | string | undefined;
  const named = typeof said === "string" ? { name: said } : said;
  const chosen = source.tables.find((t) => t.table.name === named?.name && (schemaOf(named) === undefined || schemaOf(named) === schemaOf(t.table)));
  return (
    <>
      <label className="inline">Table
        <select value={chosen ? keyOf(chosen.table) : ""} onChange={(e) => replace({ ...part, _table: source.tables.find((t) => keyOf(t.table) === e.target.value)?.table, _where: {} })}>
          <option value="">choose one</option>
          {source.tables.map((t) => <option key={keyOf(t.table)} value={keyOf(t.table)}>{display(t.table)}</option>)}
        </select>
      </label>
      <Why wrong={below(wrong, "_table")} />
      {chosen && isRule(part._where) && <RuleEditor label={`${label} _exists`} source={source} wrong={below(wrong, "_where")} depth={depth} table={chosen.table} rule={part._where} change={(r) => replace({ ...part, _where: r })} />}
    </>
  );
}

/** Comparisons edits the operators of a column or of a computed field; a value alone means _eq. */
function Comparisons(props: { label: string; source: Source; tracked: Table | undefined; wrong: Wrong | undefined; name: string; type: string | undefined; columns: string[]; part: unknown; replace: (part: unknown) => void }) {
  const { label, source, tracked, wrong, name, type, columns, part, replace } = props;
  const server = useServer();
  const known = useQuery({ ...comparisonsQuery(server, source, tracked), enabled: tracked !== undefined });
  const operators = comparisonsOf(known.data, tracked, name);
  const compared: Rule = isRule(part) ? part : { _eq: part };
  const free = operators.filter((o) => !(o in compared));
  const rename = (from: string, to: string) => replace(Object.fromEntries(Object.entries(compared).map(([o, v]) => (o === from ? [to, startOfOperand(to, v, columns, type)] : [o, v]))));
  return (
    <>
      {Object.keys(compared).length === 0 && <span className="hint">Any value.</span>}
      {Object.entries(compared).map(([o, operand], i) => (
        <div key={o} className="row">
          <select aria-label={`${label}: operator of ${name}`} value={o} onChange={(e) => rename(o, e.target.value)}>
            {[o, ...free].map((n) => <option key={n}>{n}</option>)}
          </select>
          <Operand label={`${label}: value of ${name} ${o}`} operator={o} type={type} columns={columns} values={valuesOf(known.data, tracked, name)} operand={operand} change={(v) => replace({ ...compared, [o]: v })} />
          {Object.keys(compared).length > 1 && <Button className="button small" aria-label={`${label}: remove ${o} of ${name}`} onPress={() => replace(Object.fromEntries(Object.entries(compared).filter(([n]) => n !== o)))}>−</Button>}
          {i === 0 && free.length > 0 && <Button className="button small" aria-label={`${label}: add an operator to ${name}`} onPress={() => replace({ ...compared, [free[0]!]: startOfOperand(free[0]!, "", columns, type) })}>+</Button>}
          <Why wrong={below(wrong, o)} />
        </div>
      ))}
      {known.isLoadingError && <Failure error={known.error} retry={() => void known.refetch()} />}
      {Object.keys(compared).length === 0 && free.length > 0 && <Button className="button small" aria-label={`${label}: add an operator to ${name}`} onPress={() => replace({ [free[0]!]: startOfOperand(free[0]!, "", columns, type) })}>+</Button>}
    </>
  );
}

/** Text shows what has no controls. */
function Text(props: { part: unknown }) {
  return <code>{JSON.stringify(props.part)}</code>;
}

function isRule(value: unknown): value is Rule {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function startOfCondition(key: string, compared: boolean): unknown {
  if (compared) return { _eq: "" };
  if (key === "_and" || key === "_or") return [{}];
  return {};
}

/** startOfOperand is what an operator begins with: what was there, where it suits. */
function startOfOperand(operator: string, before: unknown, columns: string[], type: string | undefined): unknown {
  const array = Array.isArray(before);
  if (operator === "_is_null") return true;
  if (/^_(n?in|has_keys_(any|all))$/.test(operator)) return array || isVariable(before) ? before : before === "" || typeof before === "boolean" || isRule(before) ? [] : [before];
  if (/^_c(eq|neq|gt|lt|gte|lte)$/.test(operator)) return columns[0] ?? "";
  if (/^_(contains|contained_in)$/.test(operator) && (before === "" || typeof before === "boolean")) return type?.endsWith("[]") ? [] : {};
  if (operator === "_cast") return { String: {} };
  if (/^_st_(3d_)?d_within$/.test(operator)) return isRule(before) && "distance" in before ? before : { distance: 1, from: isRule(before) ? before : "X-Engine-Place" };
  return (array && !type?.endsWith("[]")) || typeof before === "boolean" ? "" : before;
}

function isVariable(value: unknown): boolean {
  return typeof value === "string" && /^x-engine-/i.test(value);
}

/** scalarIn is the type of a field of a logical model when it is a scalar. */
export function scalarIn(type: unknown): string | undefined {
  const scalar = typeof type === "object" && type !== null && "scalar" in type ? type.scalar : undefined;
  return typeof scalar === "string" ? scalar : undefined;
}
