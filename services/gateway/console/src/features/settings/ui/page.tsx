import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import type { MetadataRequest } from "../../../lib/http/client";
import { exportQuery } from "../../metadata/api/queries";
import { rolesOf } from "../../permissions/model/roles";
import type { MetadataDocument } from "../../../lib/http/types";
import type { Value } from "../../../lib/json/path";
import { Form } from "../../../ui/forms/form";
import { useServer } from "../../../lib/session";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { limitFields, telemetryFields } from "./fields";
import type { Field } from "../../../ui/forms/types";
import { AllowList, Published, TLSHosts } from "./lists";
import { Button } from "../../../ui/button";
import { Title } from "../../../ui/title";
import { Preferences } from "./preferences";
import { texts } from "./texts";

const route = getRouteApi("/settings");

/** SettingsPage has the parts of the metadata that are about the whole API. */
export function SettingsPage() {
  const metadata = useQuery(exportQuery(useServer()));
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="page">
      <Title name="Settings" />
      {metadata.isPending && <Loading what="the settings" />}
      {metadata.isLoadingError && <Failure error={metadata.error} retry={() => void metadata.refetch()} />}
      {metadata.data && (
        <Parts
          document={metadata.data.metadata}
          view={view ?? "limits"}
          choose={(v) => void navigate({ search: { view: v } })}
        />
      )}
    </div>
  );
}

function Parts(props: { document: MetadataDocument; view: string; choose: (view: string) => void }) {
  const { document, view, choose } = props;
  return (
    <Tabs selectedKey={view} onSelectionChange={(key) => choose(String(key))}>
      <TabList aria-label="Settings">
        <Tab id="limits">API limits</Tab>
        <Tab id="introspection">Introspection</Tab>
        <Tab id="allowlist">Allow list</Tab>
        <Tab id="metrics">Metrics</Tab>
        <Tab id="telemetry">OpenTelemetry</Tab>
        <Tab id="tls">TLS hosts</Tab>
        <Tab id="published">Published changes</Tab>
        <Tab id="browser">{texts.browser}</Tab>
      </TabList>
      <TabPanel id="browser">
        <Preferences />
      </TabPanel>
      <TabPanel id="limits">
        <One
          about="What roles other than admin may ask. Bounds of single roles take the place of the one for all."
          value={document.api_limits}
          none="There is none: nothing is bounded."
          fields={limitFields}
          set={(args) => ({ type: "set_api_limits", args })}
          remove={{ type: "remove_api_limits", args: {} }}
        />
      </TabPanel>
      <TabPanel id="introspection">
        <One
          about="Roles that can't ask the API for its schema. Tools that complete operations don't work as these roles; what they may ask isn't changed."
          value={document.graphql_schema_introspection}
          fields={[
            {
              path: "disabled_for_roles",
              label: "Roles without introspection",
              kind: "list",
              hint: `With commas between them. There are: ${rolesOf(document).join(", ")}.`,
            },
          ]}
          set={(args) => ({
            type: "set_graphql_schema_introspection_options",
            args: { disabled_for_roles: [], ...args },
          })}
        />
      </TabPanel>
      <TabPanel id="allowlist">
        <section className="panel" aria-label="Allow list">
          <AllowList document={document} />
        </section>
      </TabPanel>
      <TabPanel id="metrics">
        <One
          about="What is measured of each operation, in addition. Values are never part of it."
          value={document.metrics_config}
          none="Neither is measured."
          fields={[
            { path: "analyze_query_variables", label: "Variables of operations", kind: "flag" },
            { path: "analyze_response_body", label: "Answers", kind: "flag" },
          ]}
          set={(args) => ({
            type: "set_metrics_config",
            args: { analyze_query_variables: false, analyze_response_body: false, ...args },
          })}
          remove={{ type: "remove_metrics_config", args: {} }}
        />
      </TabPanel>
      <TabPanel id="telemetry">
        <One
          about="Where all services send traces, metrics and log lines: OTLP over HTTP, in protobuf. It takes effect at once."
          value={document.opentelemetry}
          secrets
          fields={telemetryFields}
          set={(args) => ({ type: "set_opentelemetry_config", args })}
        />
      </TabPanel>
      <TabPanel id="tls">
        <section className="panel" aria-label="TLS hosts">
          <TLSHosts document={document} />
        </section>
      </TabPanel>
      <TabPanel id="published">
        <section className="panel" aria-label="Published changes">
          <Published document={document} />
        </section>
      </TabPanel>
    </Tabs>
  );
}

/** One is a part of the metadata that there is once, or not at all. */
function One(props: {
  about: string;
  value: unknown;
  none?: string;
  secrets?: boolean;
  fields: Field[];
  set: (args: Value) => MetadataRequest;
  remove?: MetadataRequest;
}) {
  const { about, value, none, secrets, fields, set, remove } = props;
  const { confirm, dialog } = useConfirm();
  return (
    <section className="panel">
      <p className="hint">
        {about} {value === undefined && none}
      </p>
      <Form
        follows
        title="Set"
        confirm
        secrets={secrets}
        initial={(value ?? {}) as Value}
        fields={() => fields}
        request={set}
        done={() => {}}
      />
      {remove && value !== undefined && (
        <div className="row">
          <Button onPress={() => confirm({ title: "Remove", request: remove })}>Remove…</Button>
        </div>
      )}
      {dialog}
    </section>
  );
}
