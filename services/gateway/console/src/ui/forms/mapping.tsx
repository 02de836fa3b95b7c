import { useQuery } from "@tanstack/react-query";
import { infoQuery } from "../../features/data/api/tables";
import type { Name, Source } from "../../lib/http/types";
import { useServer } from "../../lib/session";
import type { ControlProps } from "./types";
import { at } from "../../lib/json/path";
import { Pairs, type Words } from "./pairs";

const words: Words = {
  name: (n) => `Column ${n} here`,
  value: (n) => `Column ${n} there`,
  remove: (n) => `Remove pair ${n}`,
  add: "Add a pair",
};

/** Mapping is pairs: names of this table, with those of another one. */
export function Mapping(props: ControlProps) {
  const { right } = props.field;
  return right ? <ToTable {...props} of={right} /> : <MappingTo {...props} there={[]} />;
}

function ToTable(props: ControlProps & { of: { source: Source; table: Name } }) {
  const info = useQuery(infoQuery(useServer(), props.of.source, props.of.table));
  return <MappingTo {...props} there={info.data?.columns.map((c) => c.name) ?? []} />;
}

function MappingTo(props: ControlProps & { there: string[] }) {
  const { field, value, fault, change, there } = props;
  const whole = (pairs: Record<string, string | null>) => Object.entries(pairs).filter(([, to]) => to);
  return (
    <Pairs
      legend={field.label}
      fault={fault}
      words={words}
      open
      value={at(value, field.path) as Record<string, string> | undefined}
      names={field.left}
      values={there}
      change={(pairs) => change(whole(pairs).length > 0 ? Object.fromEntries(whole(pairs)) : undefined)}
    />
  );
}
