import type { Server } from "../../../lib/http/client";
import type { ColumnInfo, TableInfo } from "../../data/model/tables";
import type { Name, Source } from "../../../lib/http/types";
import type { Value } from "../../../lib/json/path";
import { answerOf, type Answered, type Sample, type Subject } from "../../transforms/model/subject";
import { time } from "../model/time";

/** offered is how many events of a log are offered as samples. */
const offered = 5;

interface LoggedEvent {
  id: string;
  schema_name: string;
  table_name: string;
  trigger_name: string;
  created_at: string;
  payload: { op?: string; session_variables?: Record<string, string> | null };
}

interface Logged {
  response: unknown;
}

/** ofEventTrigger are the events of a trigger, or one of its table. */
export function ofEventTrigger(sources: Source[]): Subject {
  return {
    base: "",
    address: "webhook",
    of: (value) => [value.source, value.table, value.replace === true && value.name],
    samples: async (server, value, signal) => {
      const source = sources.find((s) => s.name === value.source);
      if (!source || !value.table) return { requests: [made(value, [])] };
      const { columns } = await server.ofSource<TableInfo, "get_table_info">(
        source.kind,
        "get_table_info",
        { source: source.name, table: value.table as Name },
        signal,
      );
      const requests = [made(value, columns)];
      if (value.replace !== true) return { requests };
      const of = { source: source.name, name: String(value.name) };
      const events = await server.ofSource<LoggedEvent[], "get_event_logs">(
        source.kind,
        "get_event_logs",
        { ...of, limit: offered },
        signal,
      );
      const calls = await server.ofSource<Logged[], "get_event_invocation_logs">(
        source.kind,
        "get_event_invocation_logs",
        { ...of, limit: 1 },
        signal,
      );
      return { requests: [...events.map(logged), ...requests], answer: lastAnswer(calls) };
    },
  };
}

function lastAnswer(calls: Logged[]): Answered | undefined {
  return calls[0] && answerOf(calls[0].response);
}

function logged(e: LoggedEvent): Sample {
  const { payload } = e;
  return {
    label: `${payload.op ?? "event"} of ${time(e.created_at).toLocaleString()}`,
    session: payload.session_variables ?? undefined,
    body: {
      created_at: e.created_at,
      delivery_info: { current_retry: 0, max_retries: 0 },
      event: payload,
      id: e.id,
      table: { schema: e.schema_name, name: e.table_name },
      trigger: { name: e.trigger_name },
    },
  };
}

/** made is an event that no row has made, with a value of each column's type. */
function made(value: Value, columns: ColumnInfo[]): Sample {
  const row = Object.fromEntries(columns.map((c) => [c.name, valueOf(c.type)]));
  const op = value.insert ? "INSERT" : value.update ? "UPDATE" : value.delete ? "DELETE" : "MANUAL";
  const data = op === "MANUAL" ? {} : { old: op === "INSERT" ? null : row, new: op === "DELETE" ? null : row };
  const session = { "x-engine-role": "admin" };
  return {
    label: columns.length > 0 ? "an event that is made up of the columns" : "an event that is made up",
    session,
    body: {
      created_at: new Date().toISOString(),
      delivery_info: { current_retry: 0, max_retries: 0 },
      event: { op, data, session_variables: session, trace_context: null },
      id: "00000000-0000-0000-0000-000000000000",
      table: value.table ?? null,
      trigger: { name: value.name ?? "" },
    },
  };
}

function valueOf(type: string): unknown {
  if (/^(small|big)?(int|serial)|^(numeric|decimal|real|double|float|money|number)/i.test(type)) return 1;
  if (/^bool|^bit$/i.test(type)) return true;
  if (/^json/i.test(type)) return {};
  if (/^uuid|^uniqueidentifier/i.test(type)) return "00000000-0000-0000-0000-000000000000";
  if (/^(timestamp|datetime)/i.test(type)) return "2025-01-01T09:00:00Z";
  if (/^date/i.test(type)) return "2025-01-01";
  if (/^time/i.test(type)) return "09:00:00";
  return "text";
}

interface ScheduledEvent {
  id: string;
  scheduled_time: string;
  created_at: string;
  payload?: unknown;
  comment?: string | null;
}

/**
 * ofScheduled are the events of a cron trigger, or else one-off events: those that were tried, and one that is made of
 * the form.
 */
export function ofScheduled(type: "cron" | "one_off"): Subject {
  const read = async (server: Server, value: Value, signal: AbortSignal) => {
    const of = { type, ...(type === "cron" && { trigger_name: String(value.name) }) };
    const status = ["delivered", "error", "dead", "scheduled"];
    const { events } = await server.metadata<{ events: ScheduledEvent[] }, "get_scheduled_events">(
      "get_scheduled_events",
      {
        ...of,
        status,
        limit: offered,
        order_by: [
          { column: "status", type: "asc" },
          { column: "scheduled_time", type: "desc" },
        ],
      },
      signal,
    );
    const { invocations } = await server.metadata<{ invocations: Logged[] }, "get_scheduled_event_invocations">(
      "get_scheduled_event_invocations",
      { ...of, limit: 1 },
      signal,
    );
    return { events, invocations };
  };
  return {
    base: "",
    address: "webhook",
    of: (value) => [type, value.replace === true, value.name, value.payload, value.comment],
    samples: async (server, value, signal) => {
      const known = type === "one_off" || value.replace === true;
      const { events, invocations } = known ? await read(server, value, signal) : { events: [], invocations: [] };
      const body = (e: ScheduledEvent, payload: unknown) => ({
        scheduled_time: e.scheduled_time,
        payload: payload ?? null,
        id: e.id,
        ...(type === "cron" ? { name: value.name ?? "" } : { created_at: e.created_at }),
        ...((e.comment ?? value.comment) !== undefined && { comment: e.comment ?? value.comment }),
      });
      const now = new Date().toISOString();
      return {
        requests: [
          ...events.map((e): Sample => ({
            label: `the event of ${time(e.scheduled_time).toLocaleString()}`,
            body: body(e, type === "cron" ? value.payload : e.payload),
          })),
          {
            label: "an event that is made up",
            body: body(
              { id: "00000000-0000-0000-0000-000000000000", scheduled_time: now, created_at: now },
              value.payload,
            ),
          },
        ],
        answer: lastAnswer(invocations),
      };
    },
  };
}
