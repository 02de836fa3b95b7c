import { useState } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useConfirmLeave } from "../../../lib/unsaved";
import { useServer } from "../../../lib/session";
import { Ask } from "../../../ui/ask";
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

const states = ["scheduled", "locked", "delivered", "error", "dead"];

interface ScheduledEvent {
  id: string;
  scheduled_time: string;
  status: string;
  tries: number;
  comment?: string | null;
  webhook_conf?: unknown;
  payload?: unknown;
}

/** ScheduledLog shows the events of a cron trigger, or the one-off events, with their calls. */
export function ScheduledLog(props: { trigger?: string }) {
  const { trigger } = props;
  const server = useServer();
  const type = trigger === undefined ? "one_off" : "cron";
  const of = { type, ...(trigger !== undefined && { trigger_name: trigger }) };
  const key = ["events", type, trigger];
  return (
    <Deliveries
      of={key}
      events={<Events trigger={trigger} />}
      calls={async (page, signal) =>
        (
          await server.metadata<{ invocations: Call[] }, "get_scheduled_event_invocations">(
            "get_scheduled_event_invocations",
            { ...of, ...page },
            signal,
          )
        ).invocations
      }
      throughput={
        <>
          <Throughput
            of={key}
            count={(period, signal) =>
              server.metadata<Counted, "count_scheduled_event_invocations">(
                "count_scheduled_event_invocations",
                { ...of, ...period },
                signal,
              )
            }
          />
          <Figures kind={type} name={trigger} />
        </>
      }
    />
  );
}

function Events(props: { trigger: string | undefined }) {
  const { trigger } = props;
  const server = useServer();
  const [status, setStatus] = useState("");
  const [offset, setOffset] = useState(0);
  const [shown, setShown] = useState<string>();
  const {
    value: removing,
    set: setRemoving,
    close: closeRemoving,
  } = useConfirmLeave<ScheduledEvent | undefined>(undefined);
  const type = trigger === undefined ? "one_off" : "cron";
  const of = { type, ...(trigger !== undefined && { trigger_name: trigger }) };
  const events = useQuery({
    queryKey: ["events", type, trigger, status, offset],
    placeholderData: keepPreviousData,
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) =>
      server.metadata<{ count: number; events: ScheduledEvent[] }, "get_scheduled_events">(
        "get_scheduled_events",
        {
          ...of,
          limit: pageSize,
          offset,
          get_rows_count: true,
          ...(status && { status: [status] }),
          order_by: [{ column: "scheduled_time", type: status === "scheduled" ? "asc" : "desc" }],
        },
        signal,
      ),
  });
  const { count, events: listed } = events.data ?? { count: 0, events: [] };
  return (
    <>
      <div className="fields">
        <label>
          State
          <select
            value={status}
            onChange={(e) => {
              setStatus(e.target.value);
              setOffset(0);
            }}
          >
            <option value="">all</option>
            {states.map((s) => (
              <option key={s}>{s}</option>
            ))}
          </select>
        </label>
        <Button isDisabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - pageSize))}>
          Previous
        </Button>
        <Button isDisabled={offset + listed.length >= count} onPress={() => setOffset(offset + pageSize)}>
          Next
        </Button>
        {events.data && (
          <span className="hint">
            {count} {count === 1 ? "event" : "events"}
          </span>
        )}
      </div>
      {events.isPending && <Loading what="the events" />}
      {events.isLoadingError && <Failure error={events.error} retry={() => void events.refetch()} />}
      {events.data && listed.length === 0 && <p className="hint">No events</p>}
      <ul className="changes" aria-label="Events">
        {listed.map((e) => (
          <li key={e.id}>
            <Button
              look="link"
              aria-expanded={shown === e.id}
              onPress={() => setShown(shown === e.id ? undefined : e.id)}
            >
              {time(e.scheduled_time).toLocaleString()}
            </Button>{" "}
            <span
              className={
                e.status === "delivered" ? "good" : e.status === "error" || e.status === "dead" ? "removed" : undefined
              }
            >
              {e.status}
            </span>{" "}
            <span className="hint">
              {e.tries === 1 ? "1 try" : `${e.tries} tries`}
              {e.comment && `, ${e.comment}`}
            </span>
            {shown === e.id && (
              <div className="panel">
                <div className="row">
                  <code>{e.id}</code>
                  <Button look="danger" onPress={() => setRemoving(e)}>
                    Delete…
                  </Button>
                </div>
                {trigger === undefined && (
                  <Pre label="Event">{JSON.stringify({ webhook: e.webhook_conf, payload: e.payload }, null, 2)}</Pre>
                )}
                <EventCalls type={type} id={e.id} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {removing && (
        <Ask
          title="Delete the event"
          request={{ type: "delete_scheduled_event", args: { type, event_id: removing.id } }}
          close={closeRemoving}
        >
          <p>
            The event of {time(removing.scheduled_time).toLocaleString()} is removed
            {removing.tries > 0 && ` with the log of its ${removing.tries === 1 ? "call" : `${removing.tries} calls`}`}
            {removing.status === "scheduled" && ", and isn't delivered"}.
          </p>
        </Ask>
      )}
    </>
  );
}

function EventCalls(props: { type: string; id: string }) {
  const server = useServer();
  const found = useQuery({
    queryKey: ["events", props.type, "event", props.id],
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) =>
      server.metadata<{ invocations: Call[] }, "get_scheduled_event_invocations">(
        "get_scheduled_event_invocations",
        { type: props.type, event_id: props.id, limit: 100 },
        signal,
      ),
  });
  if (found.isPending) return <Loading what="the calls" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return <Calls calls={found.data.invocations} />;
}
