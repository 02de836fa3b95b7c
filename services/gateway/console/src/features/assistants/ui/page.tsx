import { useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel } from "react-aria-components";
import { ApiError } from "../../../lib/http/client";
import { project } from "../../../lib/http/project";
import { headerProblem, type RunAs } from "../../../lib/http/runas";
import { useStored } from "../../../lib/stored";
import { useServer } from "../../../lib/session";
import { Copy } from "../../../ui/copy";
import { Empty } from "../../../ui/empty";
import { Failure } from "../../../ui/failure";
import { icons } from "../../../ui/icons";
import { Pre } from "../../../ui/pre";
import { Loading } from "../../../ui/progress";
import { RunAsPicker } from "../../../ui/runas";
import { Tabs } from "../../../ui/tabs";
import { Title } from "../../../ui/title";
import { offQuery, promptsQuery, schemaQuery, toolsQuery } from "../api/tools";
import { clientsFor } from "../model/clients";
import { texts } from "./texts";
import { Tools } from "./tools";

/** AssistantsPage shows what assistants of a role may do, and how they are connected. */
export function AssistantsPage() {
  const off = useQuery(offQuery(useServer()));
  return (
    <div className="page">
      <Title name="Assistants" />
      {off.isPending && <Loading what="the tools" />}
      {off.isLoadingError && <Failure error={off.error} retry={() => void off.refetch()} />}
      {off.data === true && (
        <Empty action={<Copy texts={{ [texts.copyOption]: () => texts.option }} icon={icons.Copy} />}>
          {texts.off} <code>{texts.option}</code>
        </Empty>
      )}
      {off.data === false && <Assistants />}
    </div>
  );
}

function Assistants() {
  // Session variables may be secrets: they end with the tab.
  const [as, setAs] = useStored<RunAs>(sessionStorage, "query-engine-assistant-as", { role: "", headers: "" });
  const problem = headerProblem(as.headers);
  return (
    <>
      <div className="fields">
        <RunAsPicker as={as} setAs={setAs} />
      </div>
      {problem !== undefined && <p className="removed">No session variable: {problem}</p>}
      <Tabs first="tools">
        <TabList aria-label="Assistants">
          <Tab id="tools">Tools</Tab>
          <Tab id="schema">Schema</Tab>
          <Tab id="prompts">Prompts</Tab>
          <Tab id="connect">Connect</Tab>
        </TabList>
        <TabPanel id="tools">
          <OfRole as={as} ready={problem === undefined} what="the tools" query={toolsQuery}>
            {(tools) => <Tools key={as.role} tools={tools} as={as} />}
          </OfRole>
        </TabPanel>
        <TabPanel id="schema">
          <OfRole as={as} ready={problem === undefined} what="the schema" query={schemaQuery} off={texts.noSchema}>
            {(schema) => <Pre label="Schema of the role">{schema}</Pre>}
          </OfRole>
        </TabPanel>
        <TabPanel id="prompts">
          <OfRole as={as} ready={problem === undefined} what="the prompts" query={promptsQuery} off={texts.promptsOff}>
            {(prompts) =>
              prompts.length === 0 ? (
                <Empty>{texts.noPrompts}</Empty>
              ) : (
                <>
                  <p className="hint">{texts.everyRole}</p>
                  <ul className="changes" aria-label="Prompts">
                    {prompts.map((p) => (
                      <li key={p.name}>
                        <strong>{p.title ?? p.name}</strong>
                        <div className="hint">
                          {[p.description, ...(p.arguments ?? []).map((a) => a.name + (a.required ? "" : "?"))]
                            .filter(Boolean)
                            .join(" · ")}
                        </div>
                      </li>
                    ))}
                  </ul>
                </>
              )
            }
          </OfRole>
        </TabPanel>
        <TabPanel id="connect">
          <Connect as={as} />
        </TabPanel>
      </Tabs>
    </>
  );
}

interface OfRoleProps<T> {
  as: RunAs;
  ready: boolean;
  what: string;
  /** The text where assistants of all roles get none. */
  off?: string;
  query: (
    server: ReturnType<typeof useServer>,
    as: RunAs,
  ) => { queryKey: unknown[]; queryFn: (context: { signal: AbortSignal }) => Promise<T> };
  children: (data: T) => ReactNode;
}

/** OfRole shows what an assistant of the role gets, or why there is nothing. */
function OfRole<T>(props: OfRoleProps<T>) {
  const { as, ready, what, query, off, children } = props;
  const found = useQuery({ ...query(useServer(), as), enabled: ready && as.role !== "", retry: false });
  if (as.role === "") return <Empty>{texts.role}</Empty>;
  if (off !== undefined && found.error instanceof ApiError && found.error.code === "off") return <Empty>{off}</Empty>;
  if (found.error) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (found.isPending) return <Loading what={what} />;
  return children(found.data);
}

/** Connect has the configurations of common assistants. */
function Connect(props: { as: RunAs }) {
  const server = useServer();
  const open = !project && server.credentials.kind === "none"; // engine console has the secret itself
  const clients = clientsFor(project?.endpoint.replace(/\/+$/, "") ?? location.origin, props.as, open);
  const [shown, setShown] = useState(clients[0]!.name);
  const client = clients.find((c) => c.name === shown) ?? clients[0]!;
  return (
    <section className="form" aria-label="Client configuration">
      <label>
        Client
        <select value={client.name} onChange={(e) => setShown(e.target.value)}>
          {clients.map((c) => (
            <option key={c.name}>{c.name}</option>
          ))}
        </select>
      </label>
      <p className="hint">
        {open ? texts.openRole : texts.token} It goes to <code>{client.place}</code>.
      </p>
      <Pre label="Configuration">{client.text}</Pre>
      <div className="row">
        <Copy texts={{ Copy: () => client.text }} icon={icons.Copy} />
      </div>
    </section>
  );
}
