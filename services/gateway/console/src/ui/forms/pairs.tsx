import { useId, useState } from "react";
import { Button } from "../button";

/**
 * Words are what the two texts of a pair are called, by its number, the button that takes it off, and the one that adds
 * one.
 */
export interface Words {
  name: (n: number) => string;
  value: (n: number) => string;
  remove: (n: number) => string;
  add: string;
}

/** wordsFor are those of pairs whose names are called so. */
export function wordsFor(one: string): Words {
  return {
    name: (n) => `${one} ${n}`,
    value: (n) => `Value of ${one.toLowerCase()} ${n}`,
    remove: (n) => `Remove ${one.toLowerCase()} ${n}`,
    add: `Add a ${one.toLowerCase()}`,
  };
}

interface PairsProps {
  legend: string;
  hint?: string;
  fault?: string;
  words: Words;
  value: Record<string, string | null> | undefined;
  change: (pairs: Record<string, string | null>) => void;
  /** Texts that are suggested. */
  names?: string[];
  values?: string[];
  /** A pair may have a name alone. */
  nullable?: boolean;
  /** There is a line to type in, also without pairs. */
  open?: boolean;
  /** What is wrong with the pair of a name. */
  faultOf?: (name: string) => string | undefined;
}

/** Pairs are names with texts. One that is being typed may have no name yet, or one that there is already. */
export function Pairs(props: PairsProps) {
  const { legend, hint, fault, words, value = {}, change, names, values, nullable, open, faultOf } = props;
  const id = useId();
  const [lines, setLines] = useState<[string, string | null][]>(() => {
    const given = Object.entries(value);
    return given.length === 0 && open ? [["", ""]] : given;
  });
  const set = (list: [string, string | null][]) => {
    setLines(list);
    change(Object.fromEntries(list.filter(([name]) => name)));
  };
  const replace = (i: number, line: [string, string | null]) => set(lines.map((old, j) => (i === j ? line : old)));
  return (
    <fieldset className="field">
      <legend>{legend}</legend>
      {names && (
        <datalist id={`${id}-names`}>
          {names.map((n) => (
            <option key={n} value={n} />
          ))}
        </datalist>
      )}
      {values && (
        <datalist id={`${id}-values`}>
          {values.map((n) => (
            <option key={n} value={n} />
          ))}
        </datalist>
      )}
      {lines.map(([name, text], i) => {
        const wrong = name ? faultOf?.(name) : undefined;
        const typed = (t: string) => replace(i, [name, nullable && t === "" ? null : t]);
        return (
          <div key={i}>
            <div className="row pair">
              <input
                type="text"
                autoComplete="off"
                list={names && `${id}-names`}
                aria-label={words.name(i + 1)}
                value={name}
                onChange={(e) => replace(i, [e.target.value, text])}
              />
              <span aria-hidden="true">=</span>
              <input
                type="text"
                autoComplete="off"
                list={values && `${id}-values`}
                aria-label={words.value(i + 1)}
                value={text ?? ""}
                placeholder={text === null ? "no value" : undefined}
                aria-invalid={wrong !== undefined || undefined}
                aria-describedby={wrong && `${id}-${i}`}
                onChange={(e) => typed(e.target.value)}
              />
              {(lines.length > 1 || !open) && (
                <Button aria-label={words.remove(i + 1)} onPress={() => set(lines.filter((_, j) => i !== j))}>
                  Remove
                </Button>
              )}
            </div>
            {wrong && (
              <span className="removed" id={`${id}-${i}`}>
                {wrong}
              </span>
            )}
          </div>
        );
      })}
      <Button onPress={() => set([...lines, ["", nullable ? null : ""]])}>{words.add}</Button>
      {hint && <span className="hint">{hint}</span>}
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}
