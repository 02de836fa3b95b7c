import { Link } from "@tanstack/react-router";
import type { Source, Table } from "../../../lib/http/types";
import { Empty } from "../../../ui/empty";
import { icons } from "../../../ui/icons";
import { schemaOf } from "../../data/model/tables";
import { Paused } from "./paused";
import { texts } from "./texts";

interface Trigger {
  name: string;
  paused?: boolean;
  definition: Record<string, unknown>;
  webhook?: string;
  webhook_from_env?: string;
}

/** TableEvents are the event triggers of a table, with the way to each of them, and to a new one. */
export default function TableEvents(props: { source: Source; table: Table }) {
  const { source, table } = props;
  const triggers = (table.event_triggers ?? []) as unknown as Trigger[];
  const add = (
    <Link
      className="button primary"
      to="/events"
      search={{ kind: "triggers", source: source.name, schema: schemaOf(table.table), table: table.table.name }}
    >
      <icons.Plus size={16} aria-hidden className="icon" /> {texts.newTrigger}
    </Link>
  );
  if (triggers.length === 0) return <Empty action={add}>{texts.noTriggers}</Empty>;
  return (
    <div className="page">
      <div className="row">{add}</div>
      <ul className="changes" aria-label={texts.triggers}>
        {triggers.map((t) => (
          <li key={t.name}>
            <Link to="/events" search={{ kind: "triggers", source: source.name, name: t.name }}>
              {t.name}
            </Link>
            <div className="hint">
              {operationsOf(t)} {t.webhook ?? t.webhook_from_env} {t.paused && <Paused />}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function operationsOf({ definition }: Trigger): string {
  const on = ["insert", "update", "delete"].filter((o) => definition[o] !== undefined);
  return on.length > 0 ? `${texts.on} ${on.join(", ")}:` : `${texts.manual}:`;
}
