import { useState } from "react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import type { Source } from "../../../lib/http/types";
import { Form } from "../../../ui/forms/form";
import { FormScope, useConfirmLeave } from "../../../lib/unsaved";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Calls, type Call } from "./calls";
import { Deliveries } from "./deliveries";
import { Figures } from "./figures";
import { time } from "../model/time";
import { Throughput, type Counted } from "./throughput";
import { Pre } from "../../../ui/pre";

/** pageSize is how many events are shown at once. */
const pageSize = 50;

/** again is how often the log is read again while it is shown, in ms. */
const again = 5_000;

interface LoggedEvent {
  id: string;
  payload: { op?: string } | null;
  delivered: boolean;
  error: boolean;
  tries: number;
  created_at: string;
  next_retry_at: string | null;
  archived: boolean;
}

type LoggedCall = Omit<Call, "status"> & { http_status: number | null };

function callOf(c: LoggedCall): Call {
  return { ...c, status: c.http_status };
}

function stateOf(e: LoggedEvent, paused: boolean): string {
  if (e.delivered) return "delivered";
  if (e.error) return "failed";
  if (paused) return "waits, the trigger is paused";
  return e.tries > 0 ? "waits for a retry" : "pending";
}

const states: Record<string, string> = {
  "": "all",
  pending: "pending",
  delivered: "delivered",
  failed: "failed",
  processed: "delivered or failed",
};

/** EventLog shows the events of a trigger, their calls, and how many of these failed. */
export function EventLog(props: { source: Source; name: string; manual: boolean; paused: boolean }) {
  const { source, name } = props;
  const server = useServer();
  const key = ["events", source.name, name];
  return (
    <Deliveries
      of={key}
      events={<Events {...props} />}
      calls={async (page, signal) =>
        (
          await server.ofSource<LoggedCall[], "get_event_invocation_logs">(
            source.kind,
            "get_event_invocation_logs",
            { source: source.name, name, ...page },
            signal,
          )
        ).map(callOf)
      }
      throughput={
        <>
          <Throughput
            of={key}
            count={(period, signal) =>
              server.ofSource<Counted, "count_event_invocations">(
                source.kind,
                "count_event_invocations",
                { source: source.name, name, ...period },
                signal,
              )
            }
          />
          <Figures kind="event" source={source.name} name={name} />
        </>
      }
    />
  );
}

function Events(props: { source: Source; name: string; manual: boolean; paused: boolean }) {
  const { source, name, manual, paused } = props;
  const server = useServer();
  const [status, setStatus] = useState("");
  const [offset, setOffset] = useState(0);
  const { value: sending, set: setSending, close, edits } = useConfirmLeave(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const events = useQuery({
    queryKey: ["events", source.name, name, status, offset],
    placeholderData: keepPreviousData,
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) =>
      server.ofSource<LoggedEvent[], "get_event_logs">(
        source.kind,
        "get_event_logs",
        { source: source.name, name, limit: pageSize, offset, ...(status && { status }) },
        signal,
      ),
  });
  const move = (to: number, state = status) => {
    setStatus(state);
    setOffset(to);
    setChosen(new Set());
  };
  const listed = events.data ?? [];
  const marked = listed.filter((e) => chosen.has(e.id)).map((e) => e.id);
  return (
    <>
      <div className="fields">
        <label>
          State
          <select value={status} onChange={(e) => move(0, e.target.value)}>
            {Object.entries(states).map(([s, label]) => (
              <option key={s} value={s}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Button isDisabled={offset === 0} onPress={() => move(Math.max(0, offset - pageSize))}>
          Newer
        </Button>
        <Button isDisabled={listed.length < pageSize} onPress={() => move(offset + pageSize)}>
          Older
        </Button>
        <label className="inline">
          <input
            type="checkbox"
            disabled={listed.length === 0}
            checked={listed.length > 0 && marked.length === listed.length}
            onChange={(e) => setChosen(new Set(e.target.checked ? listed.map((v) => v.id) : []))}
          />{" "}
          Choose all that are shown
        </label>
        <Redeliver source={source} ids={marked} done={() => setChosen(new Set())} />
        {manual && (
          <Button aria-expanded={sending} onPress={() => setSending(!sending)}>
            Make an event
          </Button>
        )}
      </div>
      {sending && (
        <FormScope value={edits}>
          <Form
            title="Make it"
            initial={{ source: source.name, name, payload: {} }}
            fields={() => [{ path: "payload", label: "Payload", kind: "json" }]}
            request={(args) => ({ type: `${prefixOf(source.kind)}_invoke_event_trigger`, args })}
            done={() => close()}
            cancel={() => close()}
          />
        </FormScope>
      )}
      {events.isPending && <Loading what="the events" />}
      {events.isLoadingError && <Failure error={events.error} retry={() => void events.refetch()} />}
      {events.data && (
        <Listed
          source={source}
          events={listed}
          paused={paused}
          chosen={chosen}
          choose={(id, on) =>
            setChosen((old) => {
              const next = new Set(old);
              if (on) next.add(id);
              else next.delete(id);
              return next;
            })
          }
        />
      )}
    </>
  );
}

/** Listed are events, of which one can be opened, and several chosen. */
function Listed(props: {
  source: Source;
  events: LoggedEvent[];
  paused: boolean;
  chosen: ReadonlySet<string>;
  choose: (id: string, on: boolean) => void;
}) {
  const { source, events, paused, chosen, choose } = props;
  const [shown, setShown] = useState<string>();
  if (events.length === 0) return <p className="hint">No events</p>;
  return (
    <ul className="changes" aria-label="Events">
      {events.map((e) => {
        const title = `${e.payload?.op ?? "event"} ${time(e.created_at).toLocaleString()}`;
        return (
          <li key={e.id}>
            <input
              type="checkbox"
              aria-label={`Choose ${title}`}
              checked={chosen.has(e.id)}
              onChange={(c) => choose(e.id, c.target.checked)}
            />{" "}
            <Button
              look="link"
              aria-expanded={shown === e.id}
              onPress={() => setShown(shown === e.id ? undefined : e.id)}
            >
              {title}
            </Button>{" "}
            <span className={e.delivered ? "good" : e.error ? "removed" : undefined}>{stateOf(e, paused)}</span>{" "}
            <span className="hint">
              {e.tries === 1 ? "1 try" : `${e.tries} tries`}
              {e.archived && ", archived"}
              {e.next_retry_at && !e.delivered && !e.error && `, next at ${time(e.next_retry_at).toLocaleString()}`}
            </span>
            {shown === e.id && <OneEvent source={source} id={e.id} />}
          </li>
        );
      })}
    </ul>
  );
}

/**
 * Redeliver has events delivered again that are chosen. Each is asked for by itself: one that is being delivered
 * doesn't keep the others.
 */
function Redeliver(props: { source: Source; ids: string[]; done: () => void }) {
  const { source, ids, done } = props;
  const server = useServer();
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: async () => {
      const failed: unknown[] = [];
      for (const event_id of ids) {
        await server
          .ofSource(source.kind, "redeliver_event", { source: source.name, event_id })
          .catch((e: unknown) => failed.push(e));
      }
      if (failed.length > 0) throw failed[0];
    },
    onSuccess: done,
    onSettled: () => client.invalidateQueries({ queryKey: ["events"] }),
  });
  return (
    <>
      <Button isPending={run.isPending} isDisabled={ids.length === 0} onPress={() => run.mutate()}>
        Deliver {ids.length || "them"} again
      </Button>
      {run.error && <Failure error={run.error} />}
    </>
  );
}

function OneEvent(props: { source: Source; id: string }) {
  const { source, id } = props;
  const server = useServer();
  const client = useQueryClient();
  const found = useQuery({
    queryKey: ["events", source.name, "event", id],
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) =>
      server.ofSource<{ event: LoggedEvent; invocations: LoggedCall[] }, "get_event_by_id">(
        source.kind,
        "get_event_by_id",
        { source: source.name, event_id: id },
        signal,
      ),
  });
  const redeliver = useMutation({
    mutationFn: () => server.ofSource(source.kind, "redeliver_event", { source: source.name, event_id: id }),
    onSettled: () => client.invalidateQueries({ queryKey: ["events"] }),
  });
  if (found.isPending) return <Loading what="the event" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return (
    <div className="panel">
      <div className="row">
        <code>{id}</code>
        <Button isPending={redeliver.isPending} onPress={() => redeliver.mutate()}>
          Deliver again
        </Button>
        <span role="status" className="hint">
          {redeliver.isSuccess && "Redelivery queued."}
        </span>
      </div>
      {redeliver.error && <Failure error={redeliver.error} />}
      <Pre label="Payload">{JSON.stringify(found.data.event.payload, null, 2)}</Pre>
      <Calls calls={found.data.invocations.map(callOf)} />
    </div>
  );
}
