import { useQuery } from "@tanstack/react-query";
import { quantile, round, time, triggers, type TriggerKind, type TriggerTime } from "../../monitoring/model/status";
import type { Status, Times } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Grid } from "../../../ui/grid";
import { Loading } from "../../../ui/progress";

/** again is how often the figures are read again while they are shown, in ms. */
const again = 10_000;

const measured = (kind: TriggerKind): [string, TriggerTime][] => [
  [kind === "event" ? "From the event to its delivery" : "From the due time to the delivery", "delivery"],
  ["Wait for a worker", "queue"],
  ["Call of the webhook", "webhook"],
];

/**
 * Figures has what waits of a trigger, or of one-off events, and how long deliveries took since the services were
 * started.
 */
export function Figures(props: { kind: TriggerKind; source?: string; name?: string }) {
  const { kind, source = "", name = "" } = props;
  const server = useServer();
  const found = useQuery({
    queryKey: ["status", "triggers"],
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) => server.metadata<Status, "get_status">("get_status", {}, signal),
  });
  if (found.isPending) return <Loading what="the times" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const all = triggers(found.data, kind);
  const mine = all.find((t) => t.source === source && t.trigger === name);
  const waiting = found.data.backlogs.find(
    (b) => b.kind === kind && (b.source ?? "") === source && (b.trigger ?? "") === name,
  );
  return (
    <section aria-label="Times">
      <p className="row">
        {waiting ? (
          <span>
            {waiting.pending.toLocaleString()} wait, {waiting.in_flight.toLocaleString()} are in flight; the oldest has
            waited for {round(Math.max(0, time(found.data) - new Date(waiting.oldest).getTime() / 1000))} s.
          </span>
        ) : (
          kind !== "cron" && <span>Nothing waits.</span>
        )}
        {mine && (
          <span className="hint">
            {mine.calls.toLocaleString()} {mine.calls === 1 ? "call" : "calls"}, {mine.failed.toLocaleString()} failed
            since the services were started.
          </span>
        )}
        {!mine && (
          <span className="hint">
            {all.some((t) => !t.trigger)
              ? "The server measures triggers together."
              : "No calls since the services were started, or fewer than of the 50 triggers that are called most."}
          </span>
        )}
      </p>
      {mine && (
        <Grid
          label="Times of deliveries"
          columns={["In ms", "Mean", "p50", "p95", "p99"]}
          rows={measured(kind).map(([label, of]) => [label, ...within(mine[of])])}
        />
      )}
    </section>
  );
}

function within(t: Times): string[] {
  const mean = t.count > 0 ? round((1000 * t.seconds) / t.count) : null;
  return [mean, ...[0.5, 0.95, 0.99].map((part) => round(quantile(t.buckets, t.bounds, part)))].map((n) =>
    n === null ? "" : String(n),
  );
}
