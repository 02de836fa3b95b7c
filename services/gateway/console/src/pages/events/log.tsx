import { useState } from "react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { prefixOf } from "../../api/client";
import type { Source } from "../../api/types";
import { Form } from "../../forms/form";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { Calls, time, type Call } from "./calls";
import { Throughput, type Counted } from "./throughput";

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

/** EventLog shows the events of a trigger, their calls, and how many of these failed. */
export function EventLog(props: { source: Source; name: string; manual: boolean; paused: boolean }) {
  const { source, name, manual, paused } = props;
  const server = useServer();
  const [status, setStatus] = useState("");
  const [offset, setOffset] = useState(0);
  const [shown, setShown] = useState<string>();
  const [sending, setSending] = useState(false);
  const key = ["events", source.name, name];
  const events = useQuery({
    queryKey: [...key, status, offset],
    placeholderData: keepPreviousData,
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) => server.ofSource<LoggedEvent[], "get_event_logs">(source.kind, "get_event_logs", { source: source.name, name, limit: pageSize, offset, ...(status && { status }) }, signal),
  });
  if (events.isPending) return <Loading what="the events" />;
  if (events.error) return <Failure error={events.error} retry={() => void events.refetch()} />;
  return (
    <>
      <Throughput of={key} count={(period, signal) => server.ofSource<Counted, "count_event_invocations">(source.kind, "count_event_invocations", { source: source.name, name, ...period }, signal)} />
      <div className="fields">
        <label>Events<select value={status} onChange={(e) => { setStatus(e.target.value); setOffset(0); }}><option value="">all</option><option>pending</option><option>processed</option></select></label>
        <Button className="button" isDisabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - pageSize))}>Newer</Button>
        <Button className="button" isDisabled={events.data.length < pageSize} onPress={() => setOffset(offset + pageSize)}>Older</Button>
        {manual && <Button className="button" aria-expanded={sending} onPress={() => setSending(!sending)}>Make an event</Button>}
      </div>
      {sending && (
        <Form
          title="Make it"
          initial={{ source: source.name, name, payload: {} }}
          fields={() => [{ path: "payload", label: "Payload", kind: "json" }]}
          request={(args) => ({ type: `${prefixOf(source.kind)}_invoke_event_trigger`, args })}
          done={() => setSending(false)}
          cancel={() => setSending(false)}
        />
      )}
      {events.data.length === 0 && <p className="hint">No events</p>}
      <ul className="changes" aria-label="Events">
        {events.data.map((e) => (
          <li key={e.id}>
            <Button className="link" aria-expanded={shown === e.id} onPress={() => setShown(shown === e.id ? undefined : e.id)}>{e.payload?.op ?? "event"} {time(e.created_at).toLocaleString()}</Button>{" "}
            <span className={e.delivered ? "good" : e.error ? "removed" : undefined}>{stateOf(e, paused)}</span>{" "}
            <span className="hint">{e.tries === 1 ? "1 try" : `${e.tries} tries`}{e.archived && ", archived"}{e.next_retry_at && !e.delivered && !e.error && `, next at ${time(e.next_retry_at).toLocaleString()}`}</span>
            {shown === e.id && <OneEvent source={source} id={e.id} />}
          </li>
        ))}
      </ul>
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
    queryFn: ({ signal }) => server.ofSource<{ event: LoggedEvent; invocations: LoggedCall[] }, "get_event_by_id">(source.kind, "get_event_by_id", { source: source.name, event_id: id }, signal),
  });
  const redeliver = useMutation({
    mutationFn: () => server.ofSource(source.kind, "redeliver_event", { source: source.name, event_id: id }),
    onSettled: () => client.invalidateQueries({ queryKey: ["events"] }),
  });
  if (found.isPending) return <Loading what="the event" />;
  if (found.error) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return (
    <div className="panel">
      <div className="row">
        <code>{id}</code>
        <Button className="button" isDisabled={redeliver.isPending} onPress={() => redeliver.mutate()}>Deliver again</Button>
        <span role="status" className="hint">{redeliver.isSuccess && "It is going to be delivered again."}</span>
      </div>
      {redeliver.error && <Failure error={redeliver.error} />}
      <pre tabIndex={0} aria-label="Payload">{JSON.stringify(found.data.event.payload, null, 2)}</pre>
      <Calls calls={found.data.invocations.map(callOf)} />
    </div>
  );
}
