import { icons, type Icon } from "../ui/icons";

/** Area is an entry of the navigation. An area is added here and in routes.tsx. */
export interface Area {
  path: string;
  name: string;
  icon: Icon;
  group: Group;
  /** Words that the command palette finds it by. */
  words: string;
  /** Only who may use the metadata API sees it. */
  admin: boolean;
}

/** groups are the parts of the navigation: what users build, what runs by itself, and what they look after. */
export const groups = ["Build", "Automate", "Operate"] as const;
type Group = (typeof groups)[number];

export const areas = [
  {
    path: "/api",
    name: "API",
    icon: icons.Play,
    group: "Build",
    words: "graphql query editor explorer subscription explain",
    admin: false,
  },
  {
    path: "/data",
    name: "Data",
    icon: icons.Database,
    group: "Build",
    words: "databases sources tables views rows track relationships",
    admin: true,
  },
  {
    path: "/permissions",
    name: "Permissions",
    icon: icons.ShieldCheck,
    group: "Build",
    words: "roles rules columns presets inherited matrix",
    admin: true,
  },
  { path: "/sql", name: "SQL", icon: icons.Terminal, group: "Build", words: "run_sql statements", admin: true },
  {
    path: "/events",
    name: "Events",
    icon: icons.Zap,
    group: "Automate",
    words: "event triggers cron scheduled webhooks deliveries redeliver",
    admin: true,
  },
  {
    path: "/actions",
    name: "Actions",
    icon: icons.Workflow,
    group: "Automate",
    words: "custom types handlers SDL",
    admin: true,
  },
  {
    path: "/remote-schemas",
    name: "Remote schemas",
    icon: icons.Share2,
    group: "Automate",
    words: "GraphQL servers introspect reload permissions",
    admin: true,
  },
  {
    path: "/assistants",
    name: "Assistants",
    icon: icons.Bot,
    group: "Automate",
    words: "MCP tools prompts model context protocol AI agents clients",
    admin: true,
  },
  {
    path: "/metadata",
    name: "Metadata",
    icon: icons.Braces,
    group: "Operate",
    words: "inconsistencies reload export import history rollback diff",
    admin: true,
  },
  {
    path: "/monitoring",
    name: "Monitoring",
    icon: icons.Activity,
    group: "Operate",
    words: "status services instances health metrics latency subscriptions pools lag",
    admin: true,
  },
  {
    path: "/settings",
    name: "Settings",
    icon: icons.Settings,
    group: "Operate",
    words: "API limits rate introspection allow list metrics OpenTelemetry TLS hosts published changes",
    admin: true,
  },
] as const satisfies Area[];
