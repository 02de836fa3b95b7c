import { useQueries, useQuery } from "@tanstack/react-query";
import type { Name, Source } from "../../../../lib/http/types";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { infoQuery } from "../../../data/api/tables";
import { targetOf, type Link } from "../../../data/model/related";
import { display, keyOf, schemaOf } from "../../../data/model/tables";
import { AddCondition } from "./add";
import { Comparisons } from "./comparisons";
import { added, below, combinators, isRule, plain, withPart, without, type Rule, type Wrong } from "../../model/rule";
import { Root, useScope, type Place, type Scope, type Subject } from "./scope";
import { Raw, Why } from "./why";
import { Button } from "../../../../ui/button";

/** deepest bounds how far rules in rules are shown by controls; the text has all of them. */
const deepest = 12;

export interface RuleProps {
  /** What the rule is called, for those who don't see where it is. */
  label: string;
  rule: Rule;
  change: (rule: Rule) => void;
  place: Place;
  wrong: Wrong | undefined;
  depth: number;
}

/** RuleEditor edits the conditions of one rule, all of which have to hold. */
export function RuleEditor(props: RuleProps) {
  const { label, rule, change, place, wrong, depth } = props;
  const scope = useScope(place);
  const { info, fields } = scope;
  if (depth > deepest) return <p className="hint">Deeper rules are edited as JSON.</p>;
  const broken = [info, fields].find((q) => q.isLoadingError);
  return (
    <div className="conditions" role="group" aria-label={label}>
      {broken && <Failure error={broken.error} retry={() => void broken.refetch()} />}
      {Object.keys(rule).length === 0 && <span className="hint">Every row.</span>}
      {Object.entries(rule).map(([key, part]) => {
        const subject = scope.subject(key);
        const group = groupOf(plain(key), subject);
        const drop = (
          <Button small aria-label={`${label}: remove ${key}`} onPress={() => change(without(rule, key))}>
            ×
          </Button>
        );
        return (
          <div key={key} className={group === undefined ? "condition" : "condition grouped"}>
            <div className="row">
              <strong>{key}</strong>
              {(group ?? typeOf(subject)) && <span className="hint">{group ?? typeOf(subject)}</span>}
              {group !== undefined && drop}
              <Why wrong={below(wrong, key)} />
            </div>
            <Condition
              {...props}
              scope={scope}
              subject={subject}
              name={key}
              part={part}
              wrong={below(wrong, key)}
              replace={(p) => change(withPart(rule, key, p))}
            />
            {group === undefined && <div className="row">{drop}</div>}
          </div>
        );
      })}
      <AddCondition
        label={label}
        offered={scope.offered}
        more={place.columnsOnly ? [] : combinators}
        add={(name) => change(added(rule, name, startOf(name, scope.subject(name))))}
      />
    </div>
  );
}

/** groupOf says what a rule does with the rules in it; undefined for comparisons. */
function groupOf(key: string, subject: Subject): string | undefined {
  const said: Record<string, string> = {
    _and: "all of these hold",
    _or: "one of these holds",
    _not: "this doesn't hold",
    _exists: "there is a row, of any table",
  };
  if (combinators.includes(key)) return said[key];
  switch (subject.kind) {
    case "link":
      return subject.link.array ? "there is a related row" : "the related row";
    case "rows":
      return "it returns a row";
    case "remote":
      return `there is a related row in ${subject.source.name}`;
  }
  return undefined;
}

function typeOf(subject: Subject): string | undefined {
  return subject.kind === "column" ? subject.type : subject.kind === "computed" ? "computed" : undefined;
}

/** startOf is what a condition begins with. */
function startOf(key: string, subject: Subject): unknown {
  if (key === "_and" || key === "_or") return [{}];
  if (key === "_exists") return { _table: undefined, _where: {} };
  return subject.kind === "column" || subject.kind === "computed" ? { _eq: "" } : {};
}

interface ConditionProps extends RuleProps {
  scope: Scope;
  subject: Subject;
  name: string;
  part: unknown;
  replace: (part: unknown) => void;
}

/** Condition edits what a rule says about one of its keys. */
function Condition(props: ConditionProps) {
  const { label, scope, subject, name, part, replace, place, wrong, depth } = props;
  const inner = { place, wrong, depth: depth + 1, label: `${label} ${name}` };
  const ofRule = isRule(part) ? { ...inner, rule: part, change: replace } : undefined;
  if (combinators.includes(plain(name))) {
    if (Array.isArray(part) && part.every(isRule) && /^._?(and|or)$/.test(name)) return <List {...props} list={part} />;
    if (!ofRule || /^.(and|or)$/.test(name)) return <Raw part={part} />;
    return plain(name) === "_not" ? <RuleEditor {...ofRule} /> : <Exists {...ofRule} />;
  }
  if (subject.kind === "column" || subject.kind === "computed") {
    return (
      <Comparisons
        label={label}
        name={name}
        type={subject.kind === "column" ? subject.type : undefined}
        comparison={subject.comparison}
        scope={scope}
        part={part}
        change={replace}
        wrong={wrong}
      />
    );
  }
  if (subject.kind === "other" || !ofRule)
    return <Raw part={part} why={subject.kind === "other" ? subject.why : undefined} />;
  switch (subject.kind) {
    case "link":
      return <Related {...ofRule} link={subject.link} />;
    case "rows":
      return <RuleEditor {...ofRule} place={{ source: place.source, table: subject.table, nested: true }} />;
    case "remote":
      return <InOtherSource {...ofRule} source={subject.source} table={subject.table} />;
  }
}

/** List edits the rules of _and and _or. */
function List(props: ConditionProps & { list: Rule[] }) {
  const { label, name, list, replace, place, wrong, depth } = props;
  return (
    <>
      {list.map((r, i) => (
        <div key={i} className="alternative">
          <RuleEditor
            label={`${label} ${name} ${i + 1}`}
            place={place}
            depth={depth + 1}
            wrong={below(wrong, i)}
            rule={r}
            change={(n) => replace(list.map((o, j) => (i === j ? n : o)))}
          />
          <Button
            small
            aria-label={`${label}: remove this rule, ${i + 1} of ${name}`}
            onPress={() => replace(list.filter((_, j) => i !== j))}
          >
            Remove this rule
          </Button>
        </div>
      ))}
      <Button small aria-label={`${label}: add a rule to ${name}`} onPress={() => replace([...list, {}])}>
        Add a rule
      </Button>
    </>
  );
}

/** Related edits a rule about the rows that a relationship leads to. */
function Related(props: RuleProps & { link: Link }) {
  const {
    place: { source, table },
    link,
  } = props;
  const server = useServer();
  const info = useQuery(infoQuery(server, source, table));
  const [target] = useQueries({
    queries: [
      {
        queryKey: ["metadata", "target", source.name, table, link],
        enabled: info.data !== undefined,
        queryFn: () =>
          targetOf(source, info.data!, link, (t) =>
            server.ofSource(source.kind, "get_table_info", { source: source.name, table: t }),
          ),
      },
    ],
  });
  if (target.isLoadingError) return <Failure error={target.error} />;
  return target.data ? (
    <RuleEditor {...props} place={{ source, table: target.data.table, nested: true }} />
  ) : (
    <span className="hint">…</span>
  );
}

/** Exists edits a rule about rows of any table of the source. */
function Exists(props: RuleProps) {
  const {
    label,
    rule,
    change,
    place: { source },
    wrong,
    depth,
  } = props;
  const said = rule._table as Name | string | undefined;
  const named = typeof said === "string" ? { name: said } : said;
  const chosen = source.tables.find(
    (t) => t.table.name === named?.name && (schemaOf(named) === undefined || schemaOf(named) === schemaOf(t.table)),
  );
  const where = rule._where;
  return (
    <>
      <label className="inline">
        Table
        <select
          aria-label={`${label}: table`}
          value={chosen ? keyOf(chosen.table) : ""}
          onChange={(e) =>
            change({ ...rule, _table: source.tables.find((t) => keyOf(t.table) === e.target.value)?.table, _where: {} })
          }
        >
          <option value="">{named && !chosen ? `${display(named)}, which isn't tracked` : "choose one"}</option>
          {source.tables.map((t) => (
            <option key={keyOf(t.table)} value={keyOf(t.table)}>
              {display(t.table)}
            </option>
          ))}
        </select>
      </label>
      <Why wrong={below(wrong, "_table")} />
      {isRule(where) && chosen ? (
        <RuleEditor
          label={label}
          place={{ source, table: chosen.table, nested: true }}
          wrong={below(wrong, "_where")}
          depth={depth}
          rule={where}
          change={(r) => change({ ...rule, _where: r })}
        />
      ) : (
        where !== undefined && !(isRule(where) && Object.keys(where).length === 0) && <Raw part={where} />
      )}
    </>
  );
}

/**
 * InOtherSource edits conditions on columns of a table of another source. They are looked up there by themselves: $ is
 * that table.
 */
function InOtherSource(props: RuleProps & { source: Source; table: Name }) {
  const { source, table, ...rule } = props;
  const place = { source, table, columnsOnly: true };
  return (
    <Root value={place}>
      <RuleEditor {...rule} place={place} />
    </Root>
  );
}
