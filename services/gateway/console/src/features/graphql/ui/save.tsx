import { useId, useState } from "react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { headersFor, type RunAs } from "../../../lib/http/runas";
import type { MetadataRequest } from "../../../lib/http/client";
import { exportQuery } from "../../metadata/api/queries";
import type { MetadataDocument, QueryReference, RESTEndpoint } from "../../../lib/http/types";
import type { Field } from "../../../ui/forms/types";
import { Form } from "../../../ui/forms/form";
import { ObjectList, type Listed } from "../../../ui/forms/list";
import { useEdited } from "../../../lib/unsaved";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Cancel, Window } from "../../../ui/window";
import { callOf, operationsIn, variablesIn, type Draft } from "../model/operation";
import { Pre } from "../../../ui/pre";

/** Save keeps an operation in a collection, makes REST endpoints of it and puts it on the allow list. */
export default function Save(props: { draft: Draft; as: RunAs; close: () => void }) {
  const { draft, as, close } = props;
  const metadata = useQuery(exportQuery(useServer()));
  return (
    <Window title="Save the operation" close={close} form>
      {metadata.isPending && <Loading what="the collections" />}
      {metadata.isLoadingError && <Failure error={metadata.error} retry={() => void metadata.refetch()} />}
      {metadata.data && <Collections document={metadata.data.metadata} draft={draft} as={as} />}
      <div className="row">
        <Cancel>Close</Cancel>
      </div>
    </Window>
  );
}

function Collections(props: { document: MetadataDocument; draft: Draft; as: RunAs }) {
  const { document, draft, as } = props;
  const collections = document.query_collections ?? [];
  const holder = collections.find((c) => c.definition.queries.some((q) => q.query === draft.query));
  const [before] = useState(() => ({
    collection: holder?.name ?? collections[0]?.name ?? "saved",
    name:
      holder?.definition.queries.find((q) => q.query === draft.query)?.name ?? operationsIn(draft.query)[0]?.name ?? "",
  }));
  const [collection, setCollection] = useState(before.collection);
  const [name, setName] = useState(before.name);
  const { confirm, dialog } = useConfirm();
  const names = useId();
  const chosen = collections.find((c) => c.name === collection);
  const stored = chosen?.definition.queries.find((q) => q.name === name);
  const saved = stored?.query === draft.query;
  useEdited(JSON.stringify(saved ? before : { collection, name }), JSON.stringify(before));
  const reference = { collection_name: collection, query_name: name };
  const request = (): MetadataRequest => {
    if (!chosen)
      return {
        type: "create_query_collection",
        args: { name: collection, definition: { queries: [{ name, query: draft.query }] } },
      };
    const add = { type: "add_query_to_collection", args: { ...reference, query: draft.query } };
    if (!stored) return add;
    // Endpoints that have no query, if only for a moment, are refused: they are made again.
    const endpoints = endpointsOf(document, reference);
    return {
      type: "bulk",
      args: [
        ...endpoints.map((e) => ({ type: "drop_rest_endpoint", args: { name: e.name } })),
        { type: "drop_query_from_collection", args: reference },
        add,
        ...endpoints.map((e) => ({ type: "create_rest_endpoint", args: e })),
      ],
    };
  };
  return (
    <>
      <div className="fields">
        <label>
          Collection
          <input list={names} value={collection} onChange={(e) => setCollection(e.target.value)} />
        </label>
        <datalist id={names}>
          {collections.map((c) => (
            <option key={c.name} value={c.name} />
          ))}
        </datalist>
        <label>
          Name
          <input value={name} onChange={(e) => setName(e.target.value)} />
        </label>
        <Button
          look="primary"
          isDisabled={saved || !collection || !name || !draft.query.trim()}
          onPress={() => confirm({ title: "Save", request: request() })}
        >
          {stored ? "Save in its place…" : "Save…"}
        </Button>
        <span className="hint" role="status">
          {saved ? "It is saved." : stored ? "Another operation has this name." : ""}
        </span>
      </div>
      {saved && (
        <>
          <h3>REST endpoints</h3>
          <Endpoints key={JSON.stringify(reference)} document={document} reference={reference} draft={draft} as={as} />
          <h3>Allow list</h3>
          <Allowed key={collection} document={document} collection={collection} />
        </>
      )}
      {dialog}
    </>
  );
}

/** endpointsOf are the endpoints that run a stored operation. */
function endpointsOf(document: MetadataDocument, { collection_name, query_name }: QueryReference): RESTEndpoint[] {
  return (document.rest_endpoints ?? []).filter(
    ({ definition: { query } }) => query.collection_name === collection_name && query.query_name === query_name,
  );
}

const endpointFields: Field[] = [
  { path: "name", label: "Name of the endpoint", kind: "text", required: true },
  {
    path: "url",
    label: "Path",
    kind: "text",
    required: true,
    hint: "Below /api/rest/; a segment as in :id is a variable.",
  },
  {
    path: "methods",
    label: "Methods",
    kind: "list",
    required: true,
    hint: "Of GET, POST, PUT, PATCH and DELETE; GET can't run a mutation.",
  },
  { path: "comment", label: "Comment", kind: "text" },
];

function Endpoints(props: { document: MetadataDocument; reference: QueryReference; draft: Draft; as: RunAs }) {
  const { document, reference, draft, as } = props;
  const definition = { query: reference };
  const drop = (name: string) => ({ type: "drop_rest_endpoint", args: { name } });
  const items = endpointsOf(document, reference).map((e): Listed => ({
    id: e.name,
    about: <Try endpoint={e} draft={draft} as={as} />,
    change: {
      initial: { url: e.url, methods: e.methods, comment: e.comment },
      fields: () => endpointFields.filter((f) => f.path !== "name"),
      request: (args) => ({
        type: "bulk",
        args: [drop(e.name), { type: "create_rest_endpoint", args: { ...args, name: e.name, definition } }],
      }),
    },
    drop: drop(e.name),
  }));
  const mutates = operationsIn(draft.query).some((o) => o.kind !== "query");
  return (
    <ObjectList
      label="REST endpoints"
      none="None runs this operation."
      items={items}
      add={[
        {
          title: "Make an endpoint",
          initial: { name: reference.query_name, url: reference.query_name, methods: [mutates ? "POST" : "GET"] },
          fields: () => endpointFields,
          request: (args) => ({ type: "create_rest_endpoint", args: { ...args, definition } }),
        },
      ]}
    />
  );
}

/** Try calls an endpoint with the variables of the operation, as the role that it is run as. */
function Try(props: { endpoint: RESTEndpoint; draft: Draft; as: RunAs }) {
  const { endpoint, draft, as } = props;
  const server = useServer();
  const [method] = endpoint.methods;
  const call = useMutation({
    mutationFn: () =>
      server.endpoint(callOf(endpoint.url, method!, variablesIn(draft.variables) ?? {}), headersFor(as)),
  });
  return (
    <>
      <code>
        {endpoint.methods.join(", ")} /api/rest/{endpoint.url}
      </code>
      <Button aria-label={`Try ${endpoint.name}`} isPending={call.isPending} onPress={() => call.mutate()}>
        Try
      </Button>
      {call.error && <Failure error={call.error} />}
      {call.data !== undefined && !call.error && (
        <Pre className="answer" label={`Answer of ${endpoint.name}`}>
          {JSON.stringify(call.data, null, 2)}
        </Pre>
      )}
    </>
  );
}

function Allowed(props: { document: MetadataDocument; collection: string }) {
  const { document, collection } = props;
  const { confirm, dialog } = useConfirm();
  const entry = document.allowlist?.find((e) => e.collection === collection);
  return (
    <>
      <p className="hint">
        {entry
          ? `The collection is on it, for ${entry.scope.global ? "all roles" : (entry.scope.roles ?? []).join(", ")}.`
          : "The collection isn't on it."}{" "}
        It counts with <code>--enable-allowlist</code>. All operations of a collection are allowed together.
      </p>
      <Form
        follows
        title={entry ? "Change whom it is for" : "Allow the collection"}
        confirm
        initial={{ scope: entry?.scope ?? { global: true } }}
        fields={(v) => {
          const all = (v.scope as { global?: boolean } | undefined)?.global === true;
          return [
            { path: "scope.global", label: "For all roles", kind: "flag" },
            ...(all ? [] : [{ path: "scope.roles", label: "For the roles", kind: "list" as const, required: true }]),
          ];
        }}
        request={(v) => {
          const { global = false, roles = [] } = (v.scope ?? {}) as { global?: boolean; roles?: string[] };
          const scope = global ? { global } : { global, roles };
          return {
            type: entry ? "update_scope_of_collection_in_allowlist" : "add_collection_to_allowlist",
            args: { collection, scope },
          };
        }}
        done={() => {}}
      />
      {entry && (
        <div className="row">
          <Button
            onPress={() =>
              confirm({
                title: "Take it off",
                request: { type: "drop_collection_from_allowlist", args: { collection } },
              })
            }
          >
            Take it off the list…
          </Button>
        </div>
      )}
      {dialog}
    </>
  );
}
