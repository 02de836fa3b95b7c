import { queryOptions } from "@tanstack/react-query";
import { buildClientSchema, printSchema, type IntrospectionQuery } from "graphql";
import type { Server } from "../../../lib/http/client";

/** noDescription is what a description that is empty is written as; many servers answer with such. */
const noDescription = /^ *""""""\n/gm;

/** remoteQuery is the schema that a remote has now, under its own names. */
export function remoteQuery(server: Server, name: string) {
  return queryOptions({
    queryKey: ["metadata", "remote", name],
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const found = await server.metadata<{ data: IntrospectionQuery }, "introspect_remote_schema">(
        "introspect_remote_schema",
        { name },
        signal,
      );
      const schema = buildClientSchema(found.data);
      return { schema, sdl: printSchema(schema).replace(noDescription, "") };
    },
  });
}
