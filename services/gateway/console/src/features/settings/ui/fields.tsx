import type { ReactNode } from "react";
import { at } from "../../../lib/json/path";
import type { ControlProps, Field } from "../../../ui/forms/types";
import { valueOrEnv } from "../../../ui/forms/valueorenv";
import { PerRole } from "../../../ui/forms/perrole";

function limit(key: string, section: string, label: string, hint?: string): Field[] {
  return [
    { path: `${key}.global`, label, kind: "number", section, hint },
    {
      path: `${key}.per_role`,
      label: "Other ones for single roles",
      kind: "custom",
      section,
      control: (props: ControlProps): ReactNode => <PerRole {...props} />,
    },
  ];
}

/** limitFields are those of set_api_limits. */
export const limitFields: Field[] = [
  { path: "disabled", label: "Off: nothing is bounded", kind: "flag" },
  ...limit("depth_limit", "Depth", "Max depth"),
  ...limit("node_limit", "Nodes", "Most fields that have fields"),
  ...limit("time_limit", "Time", "Most seconds of a request"),
  ...limit("batch_limit", "Batches", "Most operations of a batch"),
  { path: "rate_limit.global.max_reqs_per_min", label: "Most requests in a minute", kind: "number", section: "Rate" },
  {
    path: "rate_limit.global.unique_params",
    label: "Counted for each",
    kind: "object",
    section: "Rate",
    options: [
      { value: "", label: "role" },
      { value: '"IP"', label: "role and address" },
    ],
    hint: "Session variables are counted by as JSON: a list of their names.",
  },
  {
    path: "rate_limit.per_role",
    label: "Other ones for single roles",
    kind: "json",
    section: "Rate",
    hint: 'As in {"clerk": {"max_reqs_per_min": 60}}.',
  },
  ...limit("bytes_limit", "Bytes that BigQuery reads", "Most bytes of an operation"),
];

const dataTypes = ["traces", "metrics", "logs"];
const propagators = ["b3", "tracecontext"];

/** Choices are some of the texts of a list. */
function Choices(props: ControlProps & { all: string[] }) {
  const { field, value, fault, change, all } = props;
  const chosen = (at(value, field.path) as string[] | undefined) ?? [];
  const pick = (name: string, on: boolean) => {
    const next = [...all, ...chosen.filter((c) => !all.includes(c))].filter((n) =>
      n === name ? on : chosen.includes(n),
    );
    change(next.length > 0 ? next : undefined);
  };
  return (
    <fieldset className="field">
      <legend>{field.label}</legend>
      <div className="row">
        {all.map((n) => (
          <label key={n} className="inline">
            <input type="checkbox" checked={chosen.includes(n)} onChange={(e) => pick(n, e.target.checked)} /> {n}
          </label>
        ))}
      </div>
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}

const endpoint = (kind: string): Field => ({
  path: `exporter_otlp.otlp_${kind}_endpoint`,
  label: `Address for ${kind}`,
  kind: "custom",
  control: valueOrEnv(["text", "from_env"]),
});

/** telemetryFields are those of set_opentelemetry_config. */
export const telemetryFields: Field[] = [
  {
    path: "status",
    label: "Status",
    kind: "choice",
    options: [
      { value: "disabled", label: "disabled" },
      { value: "enabled", label: "enabled" },
    ],
  },
  {
    path: "data_types",
    label: "What is sent",
    kind: "custom",
    control: (props) => <Choices {...props} all={dataTypes} />,
  },
  ...dataTypes.map(endpoint),
  { path: "exporter_otlp.headers", label: "Headers", kind: "headers" },
  {
    path: "exporter_otlp.resource_attributes",
    label: "Attributes of the resource",
    kind: "json",
    hint: 'As in [{"name": "deployment.environment", "value": "test"}].',
  },
  {
    path: "exporter_otlp.traces_propagators",
    label: "Headers of traces in other formats",
    kind: "custom",
    control: (props) => <Choices {...props} all={propagators} />,
  },
  { path: "batch_span_processor.max_export_batch_size", label: "Most spans that are sent together", kind: "number" },
];
