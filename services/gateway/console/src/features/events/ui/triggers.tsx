import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { type MetadataRequest } from "../../../lib/http/client";
import { exportQuery } from "../../metadata/api/queries";
import { display } from "../../data/model/tables";
import type { Name, Source } from "../../../lib/http/types";
import { Form } from "../../../ui/forms/form";
import { at, type Value } from "../../../lib/json/path";
import { FormScope, useConfirmLeave } from "../../../lib/unsaved";
import { transformsField } from "../../transforms/ui/field";
import { useServer } from "../../../lib/session";
import { ConfirmChange } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { MasterDetail } from "../../../ui/masterdetail";
import { Paused } from "./paused";
import { changeFields } from "./changes";
import { CleanUp, WouldRemove } from "./cleanup";
import { EventLog } from "./log";
import { ofEventTrigger } from "../api/samples";
import { prefixOf } from "../../../lib/http/prefix";
import type { Field } from "../../../ui/forms/types";
import { aboutSchedule } from "../model/schedule";
import { Button } from "../../../ui/button";

/** Trigger is an event trigger as the document has it. */
interface Trigger {
  name: string;
  paused?: boolean;
  definition: { enable_manual: boolean; insert?: unknown; update?: unknown; delete?: unknown };
  cleanup_config?: { schedule: string; clear_older_than: number; paused: boolean };
}

interface Placed {
  source: Source;
  table: Name;
  trigger: Trigger;
}

/** EventTriggers lists the event triggers of all sources, and shows one of them. */
export function EventTriggers(props: {
  source: string | undefined;
  name: string | undefined;
  /** The table that a new one is to be on. */
  table: Name | undefined;
  open: (name: string | undefined, source?: string) => void;
}) {
  const { source, name, table, open } = props;
  const server = useServer();
  const metadata = useQuery(exportQuery(server));
  if (metadata.isPending) return <Loading what="the triggers" />;
  if (metadata.isLoadingError) return <Failure error={metadata.error} retry={() => void metadata.refetch()} />;
  const sources = metadata.data.metadata.sources;
  const all = sources.flatMap((s) =>
    s.tables.flatMap((t) =>
      ((t.event_triggers ?? []) as Trigger[]).map((trigger): Placed => ({ source: s, table: t.table, trigger })),
    ),
  );
  const shown = all.find((p) => p.trigger.name === name && p.source.name === source);
  return (
    <MasterDetail
      words={{
        list: "Event triggers",
        one: "Event trigger",
        add: "New event trigger",
        none: "None: an event trigger calls a webhook for each changed row of a table.",
        choose: "Choose a trigger to see its events.",
      }}
      items={all}
      shown={shown}
      id={name ?? ""}
      name={(p) => p.trigger.name}
      about={(p) => (
        <>
          {p.source.name}: {display(p.table)} {p.trigger.paused && <Paused />}
        </>
      )}
      open={(p) => open(p?.trigger.name, p?.source.name)}
      begins={table !== undefined}
      form={(close) => (
        <New
          sources={sources}
          source={source}
          table={table}
          done={(n, s) => close(() => open(n, s))}
          cancel={() => close(table && (() => open(undefined)))}
        />
      )}
    >
      {(one, gone, moved) => (
        <Shown
          key={`${one.source.name}.${one.trigger.name}`}
          placed={one}
          gone={gone}
          removed={() => moved(() => open(undefined))}
        />
      )}
    </MasterDetail>
  );
}

function New(props: {
  sources: Source[];
  source: string | undefined;
  table: Name | undefined;
  done: (name: string, source: string) => void;
  cancel: () => void;
}) {
  const { sources, source, table, done, cancel } = props;
  const first = sources.find((s) => s.tables.length > 0);
  const kindOf = (name: unknown) => sources.find((s) => s.name === name)?.kind ?? "postgres";
  return (
    <>
      <h2>New event trigger</h2>
      <Form
        title="Create"
        initial={{
          source: table ? source : first?.name,
          table: table ?? first?.tables[0]?.table,
          insert: { columns: "*" },
          retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
        }}
        fields={(value) => fieldsOf(value, sources, true)}
        request={(value) => ({ type: `${prefixOf(kindOf(value.source))}_create_event_trigger`, args: value })}
        done={(value) => done(String(value.name), String(value.source))}
        cancel={cancel}
      />
    </>
  );
}

/** fieldsOf are the fields of a trigger of one of some sources; what one that is there is on stays. */
function fieldsOf(value: Value, of: Source[], isNew: boolean): Field[] {
  const source = of.find((s) => s.name === value.source);
  const tables = source?.tables ?? [];
  const place: Field[] = isNew
    ? [
        { path: "name", label: "Name", kind: "text", required: true },
        { path: "source", label: "Source", kind: "choice", options: of.map((s) => ({ value: s.name, label: s.name })) },
        {
          path: "table",
          label: "Table",
          kind: "object",
          options: [
            { value: "", label: "choose one" },
            ...tables.map((t) => ({ value: JSON.stringify(t.table), label: display(t.table) })),
          ],
          required: true,
        },
      ]
    : [];
  return [
    ...place,
    {
      path: "webhook",
      label: "Webhook",
      kind: "text",
      hint: "An address, in which {{NAME}} is a variable of the environment, or a subject as in nats://events.name.",
    },
    {
      path: "webhook_from_env",
      label: "Variable that has the webhook",
      kind: "text",
      hint: "Instead of an address.",
    },
    ...changeFields(value, source),
    { path: "enable_manual", label: "Manual invocation", kind: "flag" },
    { path: "retry_conf.num_retries", label: "Retries", kind: "number" },
    { path: "retry_conf.interval_sec", label: "Seconds between them", kind: "number" },
    { path: "retry_conf.timeout_sec", label: "Seconds until a call has failed", kind: "number" },
    { path: "headers", label: "Headers", kind: "headers" },
    { path: "order_by_key", label: "Ordered per row", kind: "flag" },
    { path: "trigger_on_replication", label: "Fire on replica", kind: "flag" },
    ...(source?.kind === "postgres" ? [viaField] : []),
    ...cleanupFields(isNew ? undefined : source),
    transformsField(ofEventTrigger(of)),
  ];
}

const viaField: Field = {
  path: "via",
  label: "How changes are found",
  kind: "choice",
  options: [
    { value: "", label: "by triggers (default)" },
    { value: "log", label: "in the log of the database" },
  ],
  hint: "The log needs wal_level logical and rights in the database, and knows no session variables.",
};

const cleanup = "Clean-up of old events";

/**
 * cleanupFields plan the clean-up of the events that were delivered or have failed. Of a trigger that is there, in a
 * source, they say what it would remove.
 */
const cleanupFields = (source: Source | undefined): Field[] => [
  {
    path: "cleanup_config.schedule",
    label: "Schedule of the clean-up",
    section: cleanup,
    kind: "text",
    about: aboutSchedule,
    hint: "Minute, hour, day of month, month, day of week, in UTC: 0 3 * * * is each day at three.",
  },
  {
    path: "cleanup_config.clear_older_than",
    label: "Hours that events are kept",
    section: cleanup,
    kind: "number",
    about: (n, value) => aboutAge(n, value, source),
    hint: "168 is a week.",
  },
  {
    path: "cleanup_config.clean_invocation_logs",
    label: "Their calls are removed, too",
    section: cleanup,
    kind: "flag",
  },
  {
    path: "cleanup_config.batch_size",
    label: "Events that are removed at a time",
    section: cleanup,
    kind: "number",
    hint: "10000 without a number.",
  },
  {
    path: "cleanup_config.timeout",
    label: "Seconds that this may take",
    section: cleanup,
    kind: "number",
    hint: "60 without a number.",
  },
  { path: "cleanup_config.paused", label: "The clean-up is paused", section: cleanup, kind: "flag" },
];

function aboutAge(hours: unknown, value: Value, source: Source | undefined) {
  if (typeof hours !== "number") return undefined;
  if (!source) return hours >= 48 ? `${Math.round(hours / 2.4) / 10} days.` : undefined;
  return (
    <WouldRemove
      source={source.name}
      name={String(value.name)}
      hours={hours}
      calls={at(value, "cleanup_config.clean_invocation_logs") === true}
    />
  );
}

const pausing =
  "Changes go on to make events. They wait, retries included, until the trigger is resumed; calls that are under way end.";
const resuming = "Events that wait are delivered from now on.";

/** How is what happens to a trigger. */
type How = "change" | "delete" | "pause" | "pause clean-up" | "clean" | undefined;

function Shown(props: { placed: Placed; gone: boolean; removed: () => void }) {
  const { source, table, trigger } = props.placed;
  const { value: how, set: setHow, close, edits } = useConfirmLeave<How>(undefined);
  const prefix = prefixOf(source.kind);
  const { definition, ...rest } = trigger;
  const args = { source: source.name, table, ...rest, ...definition, replace: true };
  const cleanup = trigger.cleanup_config;
  const [cleaned, setCleaned] = useState("");
  const only = { event_triggers: [{ source_name: source.name, event_triggers: [trigger.name] }] };
  const pause: MetadataRequest = {
    type: trigger.paused ? "resume_event_triggers" : "pause_event_triggers",
    args: only,
  };
  const pauseCleanup: MetadataRequest = {
    type: cleanup?.paused ? "resume_event_trigger_cleanups" : "pause_event_trigger_cleanups",
    args: only,
  };
  return (
    <>
      <div className="row">
        <h2>{trigger.name}</h2>
        <span className="hint">
          {source.name}: {display(table)}
        </span>
        {trigger.paused && <Paused />}
        <Button onPress={() => setHow(how === "change" ? undefined : "change")}>Change</Button>
        <Button onPress={() => setHow("pause")}>{trigger.paused ? "Resume…" : "Pause…"}</Button>
        <Button onPress={() => setHow("clean")}>Clean up…</Button>
        {cleanup && (
          <Button onPress={() => setHow("pause clean-up")}>
            {cleanup.paused ? "Resume the clean-up…" : "Pause the clean-up…"}
          </Button>
        )}
        <Button look="danger" onPress={() => setHow("delete")}>
          Delete…
        </Button>
        <span role="status" className="hint">
          {cleaned}
        </span>
      </div>
      {how === "change" && (
        <FormScope value={edits}>
          <Form
            title={props.gone ? "Create it again" : "Change"}
            confirm
            initial={args}
            fields={(value) => fieldsOf(value, [source], false)}
            request={(value) => ({ type: `${prefix}_create_event_trigger`, args: { ...value, replace: !props.gone } })}
            done={() => close()}
            cancel={() => close()}
          />
        </FormScope>
      )}
      {how === "delete" && (
        <ConfirmChange
          title="Delete"
          about="Its events and calls stay in the database; what waits isn't delivered any more."
          request={{ type: `${prefix}_delete_event_trigger`, args: { source: source.name, name: trigger.name } }}
          close={close}
          done={props.removed}
        />
      )}
      {how === "pause" && (
        <ConfirmChange
          title={trigger.paused ? "Resume" : "Pause"}
          about={trigger.paused ? resuming : pausing}
          request={pause}
          close={close}
        />
      )}
      {how === "pause clean-up" && (
        <ConfirmChange
          title={cleanup?.paused ? "Resume the clean-up" : "Pause the clean-up"}
          request={pauseCleanup}
          close={close}
        />
      )}
      {how === "clean" && <CleanUp source={source.name} name={trigger.name} close={close} done={setCleaned} />}
      <EventLog
        source={source}
        name={trigger.name}
        manual={definition.enable_manual}
        paused={trigger.paused ?? false}
      />
    </>
  );
}
