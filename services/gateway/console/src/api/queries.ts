import { queryOptions } from "@tanstack/react-query";
import type { Server } from "./client";

/** exportQuery is the metadata document. Whatever changes it invalidates the key "metadata". */
export function exportQuery(server: Server) {
  return queryOptions({ queryKey: ["metadata", "export"], queryFn: ({ signal }) => server.export(signal) });
}

/** configQuery is how the server was started, undefined where it doesn't say. */
export function configQuery(server: Server) {
  return queryOptions({ queryKey: ["config"], staleTime: Infinity, queryFn: async () => (await server.config()) ?? null });
}

/** inconsistencyQuery is what of the metadata can't be used. */
export function inconsistencyQuery(server: Server) {
  return queryOptions({ queryKey: ["metadata", "inconsistencies"], queryFn: ({ signal }) => server.inconsistencies(signal) });
}
