import { lazy, Suspense, useMemo, useState } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { chunk } from "../../../lib/chunk";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";

const Plot = lazy(chunk(() => import("../../../ui/plot")));

/** Period is the time that is plotted, in intervals (s), and how often it is read again (ms). */
interface Period {
  length: number;
  interval: number;
  again: number;
}

const hour = 3600;
const periods: Record<string, Period> = {
  hour: { length: hour, interval: 60, again: 5_000 },
  "6 hours": { length: 6 * hour, interval: 360, again: 15_000 },
  day: { length: 24 * hour, interval: hour / 2, again: 60_000 },
  week: { length: 7 * 24 * hour, interval: 4 * hour, again: 60_000 },
  "30 days": { length: 30 * 24 * hour, interval: 12 * hour, again: 60_000 },
};

/** Asked is what the counting operations take in addition to what is counted. */
export interface Asked {
  from: string;
  interval: number;
}

/** Counted is what they answer. */
export interface Counted {
  counts: { at: string; succeeded: number; failed: number }[];
}

/**
 * asked ends with the present interval. Intervals begin at the same times whenever it is made, so that bars grow and
 * don't move.
 */
function asked({ length, interval }: Period): Asked {
  const end = Math.ceil((Date.now() + 1) / 1000 / interval) * interval;
  return { from: new Date((end - length) * 1000).toISOString(), interval };
}

/** Throughput plots how many calls succeeded and failed, over a time that is chosen. */
export function Throughput(props: { of: unknown[]; count: (period: Asked, signal: AbortSignal) => Promise<Counted> }) {
  const { of, count } = props;
  const [chosen, setChosen] = useState("hour");
  const period = periods[chosen]!;
  const found = useQuery({
    queryKey: [...of, "throughput", chosen],
    placeholderData: keepPreviousData,
    refetchInterval: period.again,
    meta: { quiet: true },
    queryFn: ({ signal }) => count(asked(period), signal),
  });
  return (
    <>
      <div className="fields">
        <label>
          Calls of the last
          <select value={chosen} onChange={(e) => setChosen(e.target.value)}>
            {Object.keys(periods).map((p) => (
              <option key={p}>{p}</option>
            ))}
          </select>
        </label>
        {found.data && <Summary counts={found.data.counts} />}
      </div>
      {found.isPending && <Loading what="the calls" />}
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Bars counts={found.data.counts} />}
    </>
  );
}

function total(counts: Counted["counts"]) {
  return counts.reduce((sum, c) => ({ all: sum.all + c.succeeded + c.failed, failed: sum.failed + c.failed }), {
    all: 0,
    failed: 0,
  });
}

function Summary(props: { counts: Counted["counts"] }) {
  const { all, failed } = total(props.counts);
  const part = failed > 0 ? ` (${Number(((100 * failed) / all).toPrecision(2))} %)` : "";
  return (
    <span className="hint">
      {all.toLocaleString()} {all === 1 ? "call" : "calls"},{" "}
      <span className={failed > 0 ? "removed" : undefined}>
        {failed.toLocaleString()} failed{part}
      </span>
    </span>
  );
}

function Bars(props: { counts: Counted["counts"] }) {
  const { counts } = props;
  const drawn = useMemo(
    () => ({
      times: counts.map((c) => Date.parse(c.at) / 1000),
      series: [
        { label: "all", color: "--accent", values: counts.map((c) => c.succeeded + c.failed) },
        { label: "failed", color: "--bad", values: counts.map((c) => c.failed) },
      ],
    }),
    [counts],
  );
  if (total(counts).all === 0) return null;
  return (
    <Suspense fallback={<Loading what="the plot" />}>
      <Plot label="Calls of the webhook" counted bars {...drawn} />
    </Suspense>
  );
}
