import { getNullableType, isInputObjectType, isListType, isRequiredInputField, type GraphQLInputType } from "graphql";
import { without } from "../../../permissions/model/rule";
import { howOf, literalOf, problemOf, startOf, typedAs, waysOf, type How } from "../../model/target";

/** deepest bounds how far input objects in one another are shown by controls; the text has all of them. */
const deepest = 8;

/** Left is a field of the left side. */
export interface Left {
  name: string;
  about?: string;
}

interface ValueOrEnvProps {
  /** What it is called. */
  label: string;
  /** The keys to it in the way. */
  path: string;
  type: GraphQLInputType;
  part: unknown;
  left: Left[];
  /** What a field of the left side is called, and what being left out means. */
  words: { left: string; nothing: string };
  /** The part that the server refuses, and why. */
  wrong: { path: string; why: string } | undefined;
  change: (part: unknown) => void;
  depth: number;
}

/** ValueOrEnv edits what an argument, or a part of one, gets: the value of a field of the left side, a value, or nothing. */
export function ValueOrEnv(props: ValueOrEnvProps) {
  const { label, path, type, part, left, words, wrong, change, depth } = props;
  const how = howOf(part, type);
  const said: Record<How, string> = {
    nothing: words.nothing,
    field: `a ${words.left}`,
    value: "a value",
    list: "a list of one",
    object: "an object",
    other: "as in the text",
  };
  const problem =
    wrong?.path === path
      ? wrong.why
      : problemOf(
          part,
          type,
          left.map((l) => l.name),
        );
  const offered = waysOf(type);
  return (
    <div className={how === "object" || how === "list" ? "operator grouped" : "operator row"}>
      <select
        aria-label={`${label}: what it gets`}
        value={how}
        onChange={(e) => change(startOf(e.target.value as How, type, left[0]?.name))}
      >
        {(offered.includes(how) ? offered : [...offered, how]).map((h) => (
          <option key={h} value={h}>
            {said[h]}
          </option>
        ))}
      </select>
      {how === "field" && (
        <Fields
          label={`${label}: ${words.left}`}
          left={left}
          name={String(part).slice(1)}
          change={(n) => change(`$${n}`)}
        />
      )}
      {how === "value" && (
        <Literal label={`${label}: value`} type={type} part={part} invalid={problem !== undefined} change={change} />
      )}
      {how === "list" && depth < deepest && <Element {...props} list={part as unknown[]} />}
      {how === "object" && depth < deepest && <Parts {...props} object={part as Record<string, unknown>} />}
      {problem && <span className="removed">{problem}</span>}
    </div>
  );
}

function Fields(props: { label: string; left: Left[]; name: string; change: (name: string) => void }) {
  const { label, left, name, change } = props;
  return (
    <select aria-label={label} value={name} onChange={(e) => change(e.target.value)}>
      {!left.some((l) => l.name === name) && <option value={name}>{name || "choose one"}</option>}
      {left.map((l) => (
        <option key={l.name} value={l.name}>
          {l.name}
          {l.about && ` (${l.about})`}
        </option>
      ))}
    </select>
  );
}

function Literal(props: {
  label: string;
  type: GraphQLInputType;
  part: unknown;
  invalid: boolean;
  change: (part: unknown) => void;
}) {
  const { label, type, part, invalid, change } = props;
  if (typeof part === "boolean" && String(getNullableType(type)) === "Boolean") {
    return (
      <select aria-label={label} value={String(part)} onChange={(e) => change(e.target.value === "true")}>
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  return (
    <input
      aria-label={label}
      aria-invalid={invalid || undefined}
      autoComplete="off"
      spellCheck="false"
      defaultValue={typedAs(part, type)}
      onChange={(e) => change(literalOf(e.target.value, type))}
    />
  );
}

/** Element edits the one element of a list. */
function Element(props: ValueOrEnvProps & { list: unknown[] }) {
  const { label, path, list, change, words, depth } = props;
  const type = getNullableType(props.type);
  if (!isListType(type)) return null;
  return (
    <ValueOrEnv
      {...props}
      label={`${label}, element`}
      path={`${path}[0]`}
      type={type.ofType as GraphQLInputType}
      part={list[0]}
      words={{ ...words, nothing: "no element" }}
      depth={depth + 1}
      change={(p) => change(p === undefined ? [] : [p])}
    />
  );
}

/** Parts edits the fields of an input object. */
function Parts(props: ValueOrEnvProps & { object: Record<string, unknown> }) {
  const { label, path, object, change, words, depth } = props;
  const type = getNullableType(props.type);
  if (!isInputObjectType(type)) return null;
  const fields = type.getFields();
  return (
    <div className="conditions" role="group" aria-label={label}>
      {Object.values(fields).map((f) => (
        <div key={f.name} className="condition">
          <div className="row">
            <strong>{f.name}</strong>
            <span className="hint">{String(f.type)}</span>
          </div>
          <ValueOrEnv
            {...props}
            label={`${label} ${f.name}`}
            path={`${path}.${f.name}`}
            type={f.type}
            part={object[f.name]}
            words={{ ...words, nothing: "left out" }}
            depth={depth + 1}
            change={(p) => change(p === undefined ? without(object, f.name) : { ...object, [f.name]: p })}
          />
          {isRequiredInputField(f) && object[f.name] === undefined && <span className="hint">It is required.</span>}
        </div>
      ))}
    </div>
  );
}
