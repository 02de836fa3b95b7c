import { queryOptions } from "@tanstack/react-query";
import type { Server } from "../../../lib/http/client";
import { display } from "../model/tables";
import type { Name, Source } from "../../../lib/http/types";

/** FunctionInfo is a function, or an overload of one, in the answer of get_source_functions. */
export interface FunctionInfo {
  name: Name;
  arguments: { name?: string; type: string; table?: Name }[];
  returns: string;
  returns_set: boolean;
  return_table?: Name;
  volatility: "IMMUTABLE" | "STABLE" | "VOLATILE";
  description?: string;
  tracked: boolean;
  /** Why it can't be tracked. */
  refusal?: string;
}

/** functionsQuery lists the functions of a source as the database has them now. */
export function functionsQuery(server: Server, source: Source) {
  return queryOptions({
    queryKey: ["metadata", "functions", source.name],
    queryFn: ({ signal }) =>
      server.ofSource<FunctionInfo[], "get_source_functions">(
        source.kind,
        "get_source_functions",
        { source: source.name },
        signal,
      ),
  });
}

/** signature is a function with its arguments and what it returns. */
export function signature(f: FunctionInfo): string {
  const args = f.arguments.map((a) => [a.name, a.type].filter(Boolean).join(" ")).join(", ");
  return `${display(f.name)}(${args}) → ${f.returns_set ? "set of " : ""}${f.returns}`;
}
