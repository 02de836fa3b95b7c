import { queryOptions } from "@tanstack/react-query";
import type { Server } from "./client";

/** exportQuery is the metadata document. Whatever changes it invalidates the key "metadata". */
export function exportQuery(server: Server) {
  return queryOptions({ queryKey: ["metadata", "export"], queryFn: ({ signal }) => server.export(signal) });
}

/** inconsistencyQuery is what of the metadata can't be used. */
export function inconsistencyQuery(server: Server) {
  return queryOptions({ queryKey: ["metadata", "inconsistencies"], queryFn: ({ signal }) => server.inconsistencies(signal) });
}
