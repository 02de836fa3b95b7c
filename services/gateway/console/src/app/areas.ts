/** Area is an entry of the navigation. An area is added here and in routes.tsx. */
export interface Area {
  path: string;
  name: string;
  /** Words that the command palette finds it by. */
  words: string;
  /** Only who may use the metadata API sees it. */
  admin: boolean;
}

export const areas = [
  { path: "/api", name: "API", words: "graphql query editor explorer subscription explain", admin: false },
  { path: "/data", name: "Data", words: "sources tables views rows track relationships", admin: true },
  { path: "/permissions", name: "Permissions", words: "roles rules columns presets inherited matrix", admin: true },
  { path: "/sql", name: "SQL", words: "run_sql statements", admin: true },
  {
    path: "/events",
    name: "Events",
    words: "event triggers cron scheduled webhooks deliveries redeliver",
    admin: true,
  },
  { path: "/actions", name: "Actions", words: "custom types handlers SDL", admin: true },
  {
    path: "/remote-schemas",
    name: "Remote schemas",
    words: "GraphQL servers introspect reload permissions",
    admin: true,
  },
  {
    path: "/metadata",
    name: "Metadata",
    words: "inconsistencies reload export import history rollback diff",
    admin: true,
  },
  {
    path: "/settings",
    name: "Settings",
    words: "API limits rate introspection allow list metrics OpenTelemetry TLS hosts published changes",
    admin: true,
  },
  {
    path: "/monitoring",
    name: "Monitoring",
    words: "status services instances health metrics latency subscriptions pools lag",
    admin: true,
  },
] as const satisfies Area[];
