import { useId } from "react";
import type { ControlProps } from "../../../../ui/forms/types";
import { at, put, type Value } from "../../../../lib/json/path";
import { ValueOrEnv, type Way } from "../../../../ui/forms/valueorenv";
import { Button } from "../../../../ui/button";

/**
 * replicas is the control of the servers that answer queries in the place of the first one. key is that of an address.
 */
export function replicas(key: string, ways: Way[]) {
  return (props: ControlProps) => <Replicas {...props} address={key} ways={ways} />;
}

function Replicas(props: ControlProps & { address: string; ways: Way[] }) {
  const { field, value, fault, change, report, address, ways } = props;
  const id = useId();
  const list = (at(value, field.path) as Value[] | undefined) ?? [];
  const set = (servers: Value[]) => {
    change(servers.length > 0 ? servers : undefined);
    const empty = servers.findIndex((s) => s[address] === undefined);
    report(empty < 0 ? undefined : `[${empty}].${address}: It has no address.`);
  };
  const edit = (i: number, path: string, part: unknown) => set(list.map((r, j) => (i === j ? put(r, path, part) : r)));
  // Faults begin with the place in the list: [1].database_url: why.
  const [, number, place, message] = /^\[(\d+)\]\.?([^:]*): ([^]*)$/.exec(fault ?? "") ?? [];
  const faultOf = (i: number) =>
    number === String(i) ? [place !== address && place, message].filter(Boolean).join(": ") : undefined;
  const whole = number === undefined ? fault : undefined;
  return (
    <fieldset className="field" aria-describedby={whole ? `${id}-fault` : undefined}>
      <legend>{field.label}</legend>
      {field.hint && <span className="hint">{field.hint}</span>}
      {list.map((r, i) => (
        <div key={i} className="rule" role="group" aria-label={`Replica ${i + 1}`}>
          <ValueOrEnv
            label={`Address of replica ${i + 1}`}
            part={r[address]}
            change={(part) => edit(i, address, part)}
            ways={ways}
            secret
            fault={faultOf(i)}
            required
          />
          <label className="inline">
            Max connections
            <input
              type="number"
              min={1}
              value={String(at(r, "pool_settings.max_connections") ?? "")}
              onChange={(e) =>
                edit(i, "pool_settings.max_connections", e.target.value === "" ? undefined : Number(e.target.value))
              }
            />
          </label>
          <Button aria-label={`Remove replica ${i + 1}`} onPress={() => set(list.filter((_, j) => i !== j))}>
            Remove
          </Button>
        </div>
      ))}
      <Button onPress={() => set([...list, {}])}>Add a replica</Button>
      {whole && (
        <span className="removed" id={`${id}-fault`}>
          {whole}
        </span>
      )}
    </fieldset>
  );
}
