import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../../lib/http/client";
import { inconsistencyQuery } from "../../../metadata/api/queries";
import { tablesQuery } from "../../api/tables";
import type { Inconsistency, Source, Status } from "../../../../lib/http/types";
import { useServer } from "../../../../lib/session";
import { Failure } from "../../../../ui/failure";
import { addressOf } from "./fields";

/** reasonOf is why a source can't be used, undefined when it can. */
export function reasonOf(source: Source, found: Inconsistency[] | undefined): string | undefined {
  const bad = found?.find((o) => o.type === "source" && o.name === `source ${source.name}`);
  return bad && textOf(bad);
}

/**
 * faultsOf are what is wrong with the fields of a source, by their paths: that it can't be reached is a fault of its
 * address, that there is one already a fault of its name.
 */
export function faultsOf(kind: string, error: unknown, reason?: string): Record<string, string> {
  if (error instanceof ApiError && error.code === "invalid-configuration") {
    const [found] = Array.isArray(error.internal) ? (error.internal as Inconsistency[]) : [];
    return { [addressOf(kind)]: found ? textOf(found) : error.message };
  }
  if (error instanceof ApiError && error.code === "already-exists")
    return { name: error.message, new_name: error.message };
  return reason ? { [addressOf(kind)]: reason } : {};
}

/** textOf says what is wrong with a source. */
export function textOf(bad: Inconsistency): string {
  return [
    bad.reason.replace(/^Inconsistent object: /, ""),
    typeof bad.message === "string" ? bad.message : bad.message && JSON.stringify(bad.message),
  ]
    .filter(Boolean)
    .join(": ");
}

/** Health says whether a source answers and whether it can be used. */
export function Health(props: { source: Source }) {
  const server = useServer();
  const tables = useQuery(tablesQuery(server, props.source));
  const inconsistencies = useQuery(inconsistencyQuery(server));
  const reason = reasonOf(props.source, inconsistencies.data?.inconsistent_objects);
  if (reason) return <span className="removed">can't be used: {reason}</span>;
  if (inconsistencies.isLoadingError)
    return <Failure error={inconsistencies.error} retry={() => void inconsistencies.refetch()} />;
  if (tables.error) return <span className="removed">doesn't answer: {tables.error.message}</span>;
  return tables.data ? (
    <span className="chip good">Connected · {tables.data.length} tables and views</span>
  ) : (
    <span className="hint">…</span>
  );
}

/** checks are the results of health checks in words. */
const checks: Record<string, string> = {
  OK: "found it well",
  TIMEOUT: "had no answer in time",
  ERROR: "failed",
  FAILED: "couldn't be made",
};

/** Checked is what the last health check of a source found, for those that have one. */
export function Checked(props: { source: Source }) {
  const { source } = props;
  const server = useServer();
  const status = useQuery({
    queryKey: ["status", "sources"],
    enabled: source.health_check !== undefined,
    queryFn: ({ signal }) => server.metadata<Status, "get_status">("get_status", {}, signal),
  });
  const health = status.data?.sources.find((s) => s.name === source.name)?.health as
    { status?: string } | null | undefined;
  if (!source.health_check) return null;
  if (status.isLoadingError) return <p className="removed">The health check isn't known: {status.error.message}</p>;
  if (!health?.status) return <p className="hint">{status.isPending ? "…" : "No health check was made yet."}</p>;
  return (
    <p className={health.status === "OK" ? "good" : "removed"}>
      The last health check {checks[health.status] ?? health.status}.
    </p>
  );
}
