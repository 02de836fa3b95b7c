import { hasConventions } from "../../model/kinds";
import type { Field } from "../../../../ui/forms/types";
import { valueOrEnv, type Way } from "../../../../ui/forms/valueorenv";
import { replicas } from "./replicas";

const address: Way[] = ["text", "from_env", "connection_parameters", "dynamic_from_file"];
const plain: Way[] = ["text", "from_env"];

/** addressOf is the path of the address of a source of a kind, about which most of what goes wrong with one is. */
export function addressOf(kind: string): string {
  if (kind === "bigquery") return "configuration.project_id";
  return kind === "mssql"
    ? "configuration.connection_info.connection_string"
    : "configuration.connection_info.database_url";
}

/** fieldsOf are the fields of a source of a kind, without its name. */
export function fieldsOf(kind: string): Field[] {
  switch (kind) {
    case "mssql":
      return [...sqlServer(), ...common(kind)];
    case "bigquery":
      return [...bigQuery(), ...common(kind)];
    case "sqlite":
      return [...sqlite(), ...common(kind)];
    default:
      return [...postgres(kind), ...common(kind)];
  }
}

/** choice has the options of words; the first one is what counts when none is chosen. */
function choice(path: string, label: string, section: string, words: string[], hint?: string): Field {
  return {
    path,
    label,
    section,
    kind: "choice",
    options: [{ value: "", label: `${words[0]} (default)` }, ...words.slice(1).map((w) => ({ value: w, label: w }))],
    hint,
  };
}

function number(path: string, label: string, section: string, hint: string): Field {
  return { path, label, section, kind: "number", hint };
}

function postgres(kind: string): Field[] {
  const info = "configuration.connection_info";
  const pool = `${info}.pool_settings`;
  const ssl = `${info}.ssl_configuration`;
  const certificates = [
    { key: "sslrootcert", label: "CA certificate (env var)" },
    { key: "sslcert", label: "Client certificate (env var)" },
    { key: "sslkey", label: "Client key (env var)" },
    { key: "sslpassword", label: "Client key password (env var)" },
  ];
  return [
    {
      path: `${info}.database_url`,
      label: "Address",
      kind: "custom",
      required: true,
      control: valueOrEnv(address, true),
      hint: "As in postgres://user:password@host:5432/database. In a text, {{NAME}} is a variable of the environment. A text is part of the metadata, with its password.",
    },
    number(`${pool}.max_connections`, "Max connections", "Pool", "Default: 50."),
    number(`${pool}.pool_timeout`, "Pool timeout (s)", "Pool", "Default: 10; 0 waits without limit."),
    number(`${pool}.idle_timeout`, "Idle timeout (s)", "Pool", "Default: 180."),
    number(`${pool}.connection_lifetime`, "Max connection lifetime (s)", "Pool", "Default: 600; 0 is never."),
    number(`${pool}.retries`, "Retries", "Pool", "Default: 1."),
    choice(`${info}.isolation_level`, "Isolation level of mutations", "Transactions", [
      "read-committed",
      "repeatable-read",
      "serializable",
    ]),
    number(
      `${info}.serialization_retries`,
      "Retries of mutations that can't be serialized",
      "Transactions",
      "Default: 0; at most 100.",
    ),
    {
      path: `${info}.use_prepared_statements`,
      label: "Prepared statements",
      section: "Transactions",
      kind: "object",
      options: [
        { value: "", label: "unless a pooler mixes sessions (default)" },
        { value: "true", label: "always" },
        { value: "false", label: "never" },
      ],
    },
    choice(
      `${ssl}.sslmode`,
      "Mode",
      "Encryption",
      ["as the address says", "disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
      "verify-full alone proves which server it is.",
    ),
    ...certificates.map((c): Field => ({
      path: `${ssl}.${c.key}.from_env`,
      label: c.label,
      section: "Encryption",
      kind: "text",
      hint: c.key === "sslpassword" ? undefined : "The variable has the text of a PEM file.",
    })),
    {
      path: "configuration.read_replicas",
      label: "Read replicas",
      section: "Read replicas and changes",
      kind: "custom",
      control: replicas("database_url", address),
      hint: "Queries and live queries go to one of them, at random.",
    },
    ...(kind === "postgres" ? [changeFeed] : []),
  ];
}

const changeFeed: Field = {
  path: "configuration.change_feed",
  label: "Change detection",
  section: "Read replicas and changes",
  kind: "choice",
  options: [
    { value: "", label: "polling (default)" },
    { value: "notify", label: "triggers and NOTIFY" },
    { value: "log", label: "WAL" },
  ],
  hint: "Not with read replicas. Notifications and the log need rights in the database.",
};

function sqlServer(): Field[] {
  const info = "configuration.connection_info";
  const pool = `${info}.pool_settings`;
  return [
    {
      path: `${info}.connection_string`,
      label: "Connection string",
      kind: "custom",
      required: true,
      control: valueOrEnv(plain, true),
      hint: "As in Server=tcp:host,1433;Database=shop;User Id=engine;Password=...;Encrypt=yes. In a text, {{NAME}} is a variable of the environment. A text is part of the metadata, with its password.",
    },
    number(`${pool}.max_connections`, "Max connections", "Pool", "Default: 50."),
    number(`${pool}.pool_timeout`, "Pool timeout (s)", "Pool", "Default: 10."),
    number(`${pool}.idle_timeout`, "Idle timeout (s)", "Pool", "Default: 5."),
    {
      path: `${pool}.enable`,
      label: "After a use",
      section: "Pool",
      kind: "object",
      options: [
        { value: "", label: "connections are kept (default)" },
        { value: "false", label: "connections are closed" },
      ],
    },
    choice(
      `${info}.isolation_level`,
      "Isolation level",
      "Transactions",
      ["read-committed", "read-uncommitted", "repeatable-read", "serializable", "snapshot"],
      "Of queries and mutations.",
    ),
    {
      path: "configuration.read_replicas",
      label: "Read replicas",
      section: "Read replicas",
      kind: "custom",
      control: replicas("connection_string", plain),
      hint: "Queries go to them in turn.",
    },
  ];
}

function sqlite(): Field[] {
  const info = "configuration.connection_info";
  const pool = `${info}.pool_settings`;
  return [
    {
      path: `${info}.database_url`,
      label: "File",
      kind: "custom",
      required: true,
      control: valueOrEnv(plain),
      hint: "Its path. A relative one begins where the engine was started.",
    },
    { path: `${info}.create`, label: "Create the file if missing", kind: "flag" },
    { path: `${info}.read_only`, label: "Open read-only", kind: "flag" },
    number(`${pool}.max_connections`, "Read connections", "Pool", "Default: 8. One more writes."),
    number(`${pool}.pool_timeout`, "Pool timeout (s)", "Pool", "Default: 10."),
    number(
      `${pool}.busy_timeout`,
      "Milliseconds that it waits for other processes that write",
      "Pool",
      "Default: 5000.",
    ),
  ];
}

function bigQuery(): Field[] {
  return [
    { path: "configuration.project_id", label: "Project", kind: "custom", required: true, control: valueOrEnv(plain) },
    {
      path: "configuration.datasets",
      label: "Datasets",
      kind: "custom",
      required: true,
      control: valueOrEnv(["list", "from_env"]),
      hint: "Names with commas between them.",
    },
    {
      path: "configuration.service_account",
      label: "Key of a service account",
      kind: "custom",
      control: valueOrEnv(["json", "from_env"], true),
      hint: "The credentials of the environment, when it is empty. A key is part of the metadata.",
    },
    number("configuration.global_select_limit", "Row limit", "Limits", "Default: 1000."),
    number("configuration.maximum_bytes_billed", "Maximum bytes billed", "Limits", "Default: no limit."),
    number("configuration.job_timeout", "Query timeout (s)", "Limits", "Default: 600."),
    number(
      "configuration.retry_limit",
      "Attempts after the first",
      "Requests",
      "Default: 5, for requests that fail for a passing reason.",
    ),
    number(
      "configuration.retry_base_delay",
      "Microseconds before the first of them",
      "Requests",
      "Default: 500000; each time they double.",
    ),
    {
      path: "configuration.location",
      label: "Location of jobs",
      section: "Requests",
      kind: "text",
      hint: "When the datasets don't show it, as in EU.",
    },
    {
      path: "configuration.endpoint",
      label: "Address of an emulator",
      section: "Requests",
      kind: "text",
      hint: "It is sent no credentials.",
    },
  ];
}

/** common are the fields that all kinds have. */
function common(kind: string): Field[] {
  const text = (path: string, label: string, hint?: string): Field => ({
    path,
    label,
    section: "GraphQL customization",
    kind: "text",
    hint,
  });
  return [
    text(
      "customization.root_fields.namespace",
      "Root field namespace",
      "A field that has those of the source below it.",
    ),
    text("customization.root_fields.prefix", "Root field prefix"),
    text("customization.root_fields.suffix", "Root field suffix"),
    text("customization.type_names.prefix", "Type name prefix"),
    text("customization.type_names.suffix", "Type name suffix"),
    ...(hasConventions(kind)
      ? [
          choice(
            "customization.naming_convention",
            "Naming convention",
            "GraphQL customization",
            ["that of the server", "engine-default", "graphql-default"],
            "Words joined by underscores, or by capitals. It counts with --experimental-features naming_convention.",
          ),
        ]
      : []),
    number("health_check.interval", "Interval (s)", "Health check", "Default: no checks."),
    {
      path: "health_check.test.sql",
      label: "Statement",
      section: "Health check",
      kind: "text",
      hint: "SELECT 1, when it is empty.",
    },
    number("health_check.timeout", "Timeout (s)", "Health check", "Default: 10."),
    number("health_check.retries", "Retries", "Health check", "Default: 3."),
    number("health_check.retry_interval", "Retry interval (s)", "Health check", "Default: 10."),
  ];
}
