import { queryOptions } from "@tanstack/react-query";
import { buildClientSchema, printSchema, type IntrospectionQuery } from "graphql";
import type { Server } from "./client";

/** noDescription is what a description that is empty is written as; many servers answer with such. */
const noDescription = /^ *""""""\n/gm;

/** sdlQuery is the schema that a remote has now, as GraphQL. */
export function sdlQuery(server: Server, name: string) {
  return queryOptions({
    queryKey: ["metadata", "remote", name],
    queryFn: async ({ signal }) => {
      const found = await server.metadata<{ data: IntrospectionQuery }, "introspect_remote_schema">("introspect_remote_schema", { name }, signal);
      return printSchema(buildClientSchema(found.data)).replace(noDescription, "");
    },
  });
}
