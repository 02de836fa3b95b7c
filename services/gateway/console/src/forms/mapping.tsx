import { useId, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { infoQuery } from "../api/tables";
import { useServer } from "../session";
import type { ControlProps } from "./controls";
import { at, type Field } from "./fields";

/** Mapping is pairs: names of this table, with those of another one. */
export function Mapping(props: ControlProps) {
  const { field, value, fault, change } = props;
  const id = useId();
  const part = (at(value, field.path) as Record<string, string> | undefined) ?? {};
  // A pair that is being typed may have no name yet, or one that there is already.
  const [pairs, setPairs] = useState<[string, string][]>(Object.keys(part).length > 0 ? Object.entries(part) : [["", ""]]);
  const set = (list: [string, string][]) => {
    setPairs(list);
    const whole = list.filter(([here, there]) => here && there);
    change(whole.length > 0 ? Object.fromEntries(whole) : undefined);
  };
  const replace = (i: number, pair: [string, string]) => set(pairs.map((old, j) => (i === j ? pair : old)));
  return (
    <fieldset className="field">
      <legend>{field.label}</legend>
      <datalist id={`${id}-left`}>{field.left?.map((n) => <option key={n} value={n} />)}</datalist>
      {field.right && <Columns id={`${id}-right`} of={field.right} />}
      {pairs.map(([here, there], i) => (
        <div className="row" key={i}>
          <input type="text" autoComplete="off" list={`${id}-left`} aria-label={`Column ${i + 1} here`} value={here} onChange={(e) => replace(i, [e.target.value, there])} />
          <span aria-hidden="true">=</span>
          <input type="text" autoComplete="off" list={`${id}-right`} aria-label={`Column ${i + 1} there`} value={there} onChange={(e) => replace(i, [here, e.target.value])} />
          {pairs.length > 1 && <Button className="button" aria-label={`Remove pair ${i + 1}`} onPress={() => set(pairs.filter((_, j) => i !== j))}>Remove</Button>}
        </div>
      ))}
      <Button className="button" onPress={() => set([...pairs, ["", ""]])}>Add a pair</Button>
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}

/** Columns are the names of the columns of a table, for an input to choose from. */
function Columns(props: { id: string; of: NonNullable<Field["right"]> }) {
  const info = useQuery(infoQuery(useServer(), props.of.source, props.of.table));
  return <datalist id={props.id}>{info.data?.columns.map((c) => <option key={c.name} value={c.name} />)}</datalist>;
}
