import { useId, useState } from "react";
import type { ControlProps } from "./types";
import { at } from "../../lib/json/path";
import { Button } from "../button";

/** findable is how many names there are when they can be found by a part of them. */
const findable = 15;

/**
 * Names chooses some of a list of names, or all of them, for which another value stands when there is a text for it.
 */
export function Names(
  props: ControlProps & { names: { name: string; about?: string }[]; all?: unknown; allText?: string },
) {
  const { field, value, fault, change, names, all, allText } = props;
  const id = useId();
  const [wanted, setWanted] = useState("");
  const part = at(value, field.path);
  const chosen = Array.isArray(part) ? (part as string[]) : undefined;
  const isAll = allText !== undefined && chosen === undefined && part === all;
  // Names that are no more can only be taken away.
  const listed = [
    ...names,
    ...(chosen ?? []).filter((n) => !names.some((k) => k.name === n)).map((name) => ({ name, about: "doesn't exist" })),
  ];
  const shown = listed.filter((n) => n.name.toLowerCase().includes(wanted.toLowerCase()));
  const toggle = (name: string, on: boolean) =>
    change(listed.map((n) => n.name).filter((n) => (n === name ? on : chosen?.includes(n))));
  return (
    <fieldset className="field" aria-describedby={fault ? `${id}-fault` : undefined}>
      <legend>{field.label}</legend>
      {allText !== undefined && (
        <label className="inline">
          <input
            type="checkbox"
            checked={isAll}
            onChange={(e) => change(e.target.checked ? all : names.map((n) => n.name))}
          />{" "}
          {allText}
        </label>
      )}
      {!isAll && (
        <>
          {listed.length > findable && (
            <input
              type="search"
              aria-label={`${field.label}: find`}
              placeholder="find…"
              value={wanted}
              onChange={(e) => setWanted(e.target.value)}
            />
          )}
          <div className="names">
            {shown.map((n) => (
              <label key={n.name} className="inline">
                <input
                  type="checkbox"
                  checked={chosen?.includes(n.name) ?? false}
                  onChange={(e) => toggle(n.name, e.target.checked)}
                />{" "}
                {n.name} {n.about && <small className="hint">{n.about}</small>}
              </label>
            ))}
          </div>
          <div className="row">
            <Button
              aria-label={`${field.label}: each`}
              onPress={() =>
                change(listed.map((n) => n.name).filter((n) => chosen?.includes(n) || shown.some((s) => s.name === n)))
              }
            >
              Each
            </Button>
            <Button
              aria-label={`${field.label}: none`}
              onPress={() => change((chosen ?? []).filter((n) => !shown.some((s) => s.name === n)))}
            >
              None
            </Button>
            {chosen && (
              <span className="hint">
                {chosen.length} of {names.length}
              </span>
            )}
          </div>
        </>
      )}
      {field.hint && <span className="hint">{field.hint}</span>}
      {fault && (
        <span className="removed" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </fieldset>
  );
}
