import { useId, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from "graphql";
import { remoteQuery } from "../../api/remotes";
import type { CustomProps } from "../../../../ui/forms/types";
import { at } from "../../../../lib/json/path";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { Loading } from "../../../../ui/progress";
import { isRule, without } from "../../../permissions/model/rule";
import { ValueOrEnv, type Left } from "./argument";
import { callsOf, leftOf, referencesOf, wayOf, type Call } from "../../model/target";
import { Button } from "../../../../ui/button";

interface RemoteFieldProps extends CustomProps {
  remote: string | undefined;
  /** The fields of the left side, what one is called, and where the definition names those that it uses. */
  left: Left[];
  word: string;
  named: string;
}

/** RemoteField edits the way to a field of a remote schema, level by level with arguments, and as JSON next to it. */
export default function RemoteField(props: RemoteFieldProps) {
  const { field, value, fault, faultAt, change, report, put, remote, left, word, named } = props;
  const id = useId();
  const part = at(value, field.path);
  const [text, setText] = useState<string>();
  const set = (way: unknown) => {
    change(way);
    put(named, leftOf(at(value, named), part, way));
    report(undefined);
  };
  const edit = (typed: string) => {
    setText(typed);
    try {
      const read: unknown = typed.trim() ? JSON.parse(typed) : undefined;
      if (read !== undefined && !isRule(read)) throw new Error();
      set(read);
    } catch {
      report("This isn't an object of JSON.");
    }
  };
  const calls = callsOf(part);
  const uses = referencesOf(part);
  const unnamed = faultAt(named);
  return (
    <fieldset className="rule" aria-describedby={fault ? `${id}-fault` : `${id}-hint`}>
      <legend>{field.label}</legend>
      <div className="rule-both">
        <div className="page">
          {!remote && <p className="hint">Choose the remote schema first.</p>}
          {remote && calls && (
            <Way
              remote={remote}
              left={left}
              word={word}
              calls={calls}
              wrong={wrongOf(fault)}
              change={(to) => {
                setText(undefined);
                set(wayOf(to));
              }}
            />
          )}
          {remote && !calls && (
            <p className="hint">
              What the text has isn't a way to a field: each level has one field, with its arguments.
            </p>
          )}
        </div>
        <label className="field">
          As JSON
          <textarea
            aria-label={`${field.label} as JSON`}
            aria-invalid={fault ? true : undefined}
            rows={5}
            spellCheck="false"
            value={text ?? (part === undefined ? "" : JSON.stringify(part, null, 2))}
            onChange={(e) => edit(e.target.value)}
          />
        </label>
      </div>
      <span className="hint" id={`${id}-hint`}>
        {uses.length > 0
          ? `Joined by: ${uses.join(", ")}.`
          : `No argument gets a ${word} yet: each row would have the same.`}
      </span>
      {fault && (
        <span className="removed" id={`${id}-fault`}>
          {fault}
        </span>
      )}
      {unnamed && <span className="removed">{unnamed}</span>}
    </fieldset>
  );
}

/** wrongOf is the part of the way that a fault names, and what it says of it. */
function wrongOf(fault: string | undefined) {
  const found = /^([\w.[\]]+): ([^]*)$/.exec(fault ?? "");
  return found ? { path: found[1]!, why: found[2]! } : undefined;
}

interface WayProps {
  left: Left[];
  word: string;
  calls: Call[];
  wrong: ReturnType<typeof wrongOf>;
  change: (calls: Call[]) => void;
}

function Way(props: WayProps & { remote: string }) {
  const found = useQuery(remoteQuery(useServer(), props.remote));
  if (found.isPending) return <Loading what="the schema" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const root = found.data.schema.getQueryType();
  return root ? (
    <Level {...props} parent={root} path="" level={1} />
  ) : (
    <p className="hint">The remote schema has no queries.</p>
  );
}

type Parent = GraphQLObjectType | GraphQLInterfaceType;

const isParent = (type: GraphQLNamedType): type is Parent => isObjectType(type) || isInterfaceType(type);

/** Level chooses a field of a type, gives it arguments, and goes on below. */
function Level(props: WayProps & { parent: Parent; path: string; level: number }) {
  const { left, word, calls, wrong, change, parent, level } = props;
  const fields = Object.values(parent.getFields());
  const [call, ...rest] = calls;
  const path = call && (props.path ? `${props.path}.${call.name}` : call.name);
  const chosen = call && fields.find((f) => f.name === call.name);
  const type = chosen && getNamedType(chosen.type);
  const label = `Field of ${parent.name}, level ${level}`;
  const why =
    call && !chosen ? `${parent.name} has no such field.` : wrong && wrong.path === path ? wrong.why : undefined;
  return (
    <div className="conditions" role="group" aria-label={`Level ${level}`}>
      <div className="row">
        <label className="inline">
          Field of {parent.name}
          <select
            aria-label={label}
            aria-invalid={why !== undefined || undefined}
            value={call?.name ?? ""}
            onChange={(e) => change(e.target.value ? [{ name: e.target.value, given: {} }] : [])}
          >
            <option value="">{level === 1 ? "choose one" : `none: it leads to ${parent.name}`}</option>
            {call && !chosen && <option>{call.name}</option>}
            {fields.map((f) => (
              <option key={f.name} value={f.name}>
                {f.name}: {String(f.type)}
              </option>
            ))}
          </select>
        </label>
        {why && <span className="removed">{why}</span>}
      </div>
      {call && chosen && (
        <Arguments
          {...props}
          of={chosen}
          call={call}
          path={`${path}.arguments`}
          goesOn={rest.length > 0}
          change={(given) => change([{ ...call, given }, ...rest])}
        />
      )}
      {call && type && isParent(type) && (
        <Level
          left={left}
          word={word}
          wrong={wrong}
          calls={rest}
          change={(to) => change([call, ...to])}
          parent={type}
          path={`${path}.field`}
          level={level + 1}
        />
      )}
    </div>
  );
}

interface ArgumentsProps {
  left: Left[];
  word: string;
  wrong: ReturnType<typeof wrongOf>;
  of: GraphQLField<unknown, unknown>;
  call: Call;
  path: string;
  /** It isn't the last field: clients can't give it arguments. */
  goesOn: boolean;
  change: (given: Record<string, unknown>) => void;
}

function Arguments(props: ArgumentsProps) {
  const { left, word, wrong, of, call, path, goesOn, change } = props;
  const unknown = Object.keys(call.given).filter((name) => !of.args.some((a) => a.name === name));
  return (
    <>
      {of.args.map((a) => {
        const part = call.given[a.name];
        return (
          <div key={a.name} className="condition">
            <div className="row">
              <strong>{a.name}</strong>
              <span className="hint">{String(a.type)}</span>
            </div>
            <ValueOrEnv
              label={`Argument ${a.name} of ${of.name}`}
              path={`${path}.${a.name}`}
              type={a.type}
              part={part}
              left={left}
              words={{ left: word, nothing: goesOn ? "left out" : "left out: clients give it" }}
              wrong={wrong}
              depth={0}
              change={(p) => change(p === undefined ? without(call.given, a.name) : { ...call.given, [a.name]: p })}
            />
            {goesOn && isRequiredArgument(a) && part === undefined && (
              <span className="removed">It is required, and clients give arguments to the last field alone.</span>
            )}
          </div>
        );
      })}
      {unknown.map((name) => (
        <div key={name} className="condition">
          <div className="row">
            <strong>{name}</strong>
            <span className="removed">{of.name} has no such argument.</span>
            <Button
              small
              aria-label={`Argument ${name} of ${of.name}: remove`}
              onPress={() => change(without(call.given, name))}
            >
              ×
            </Button>
          </div>
        </div>
      ))}
    </>
  );
}
