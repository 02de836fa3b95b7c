import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useServer } from "../../../lib/session";
import { useDebounced } from "../../../lib/debounced";
import { Ask } from "../../../ui/ask";
import { Failure } from "../../../ui/failure";

/** Cleaned is what a clean-up removes, or would. */
interface Cleaned {
  deleted_event_logs: number;
  deleted_event_invocation_logs: number;
  at_least?: boolean;
}

/** Cleaning is what is removed: the events of a trigger from an age on, and their calls. */
interface Cleaning {
  source: string;
  event_trigger_name: string;
  clear_older_than: number;
  clean_invocation_logs: boolean;
}

/** patience bounds the count, in s. */
const patience = 10;

const number = (n: number, one: string) => `${n.toLocaleString("en")} ${n === 1 ? one : one + "s"}`;

/** told says in words how much that is. */
function told(c: Cleaned, calls: boolean): string {
  if (c.deleted_event_logs === 0) return "nothing";
  return (
    (c.at_least ? "more than " : "") +
    number(c.deleted_event_logs, "event") +
    (calls ? ` and ${number(c.deleted_event_invocation_logs, "call")}` : "")
  );
}

/**
 * useCounted asks what a clean-up would remove now, once nobody types any more; args are undefined where there is
 * nothing to ask for.
 */
function useCounted(args: Cleaning | undefined) {
  const server = useServer();
  const wanted = JSON.stringify(args ?? null);
  const settled = useDebounced(wanted);
  const found = useQuery({
    queryKey: ["events", "old", settled],
    enabled: settled !== "null",
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const asked = JSON.parse(settled) as Cleaning;
      const { answer } = await server.dryRun<Cleaned>(
        { type: "cleanup_event_trigger_logs", args: { ...asked, timeout: patience } },
        signal,
      );
      return { answer, calls: asked.clean_invocation_logs };
    },
  });
  return { found, waits: wanted !== settled || found.isFetching };
}

/** usualHours is how old events are that a clean-up removes, until another number is typed. */
const usualHours = "168";

/**
 * CleanUp removes events of a trigger that are old, at once. It says how many before it does, and done how many it
 * were.
 */
export function CleanUp(props: {
  source: string;
  name: string;
  close: (then?: () => void) => void;
  done: (removed: string) => void;
}) {
  const { source, name, close, done } = props;
  const [hours, setHours] = useState(usualHours);
  const [calls, setCalls] = useState(true);
  const valid = /^\d{1,7}$/.test(hours);
  const args = { source, event_trigger_name: name, clear_older_than: Number(hours), clean_invocation_logs: calls };
  const { found, waits } = useCounted(valid ? args : undefined);
  const counted = waits ? undefined : found.data;
  return (
    // What can't be counted in time can be removed all the same.
    <Ask
      title="Clean up"
      request={{ type: "cleanup_event_trigger_logs", args }}
      close={close}
      disabled={!valid || waits}
      edited={hours !== usualHours || !calls}
      done={(answer) => done(`Removed: ${told(answer as Cleaned, calls)}.`)}
    >
      <p>
        The events of {name} that are older and were delivered or have failed are removed. They can't be brought back.
        What waits stays.
      </p>
      <label>
        Older than, in hours <input type="number" min={0} value={hours} onChange={(e) => setHours(e.target.value)} />
      </label>
      <label>
        <input type="checkbox" checked={calls} onChange={(e) => setCalls(e.target.checked)} /> Their calls, too
      </label>
      <p role="status" className={counted?.answer?.deleted_event_logs ? "removed" : "hint"}>
        {!valid && "Older than how many hours?"}
        {valid && waits && "Counting…"}
        {counted?.answer && `It removes ${told(counted.answer, counted.calls)}.`}
      </p>
      {!waits && found.error && <Failure error={found.error} retry={() => void found.refetch()} />}
    </Ask>
  );
}

/** WouldRemove says what a planned clean-up would remove of a trigger if it ran now. */
export function WouldRemove(props: { source: string; name: string; hours: number; calls: boolean }) {
  const { source, name, hours, calls } = props;
  const { found, waits } = useCounted({
    source,
    event_trigger_name: name,
    clear_older_than: hours,
    clean_invocation_logs: calls,
  });
  const days = hours >= 48 ? `${Math.round(hours / 2.4) / 10} days. ` : "";
  if (waits) return <>{days}Counting what that is…</>;
  if (found.error)
    return (
      <>
        {days}What that is can't be counted: {found.error.message}
      </>
    );
  return (
    <>
      {days}
      {found.data?.answer && `Now that would remove ${told(found.data.answer, found.data.calls)}.`}
    </>
  );
}
