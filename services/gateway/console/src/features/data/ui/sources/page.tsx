import { Link } from "@tanstack/react-router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type MetadataRequest } from "../../../../lib/http/client";
import { hasTags, kindName, kinds, proofOf } from "../../model/kinds";
import { exportQuery, inconsistencyQuery, kindsQuery } from "../../../metadata/api/queries";
import type { Source } from "../../../../lib/http/types";
import type { Value } from "../../../../lib/json/path";
import { Form } from "../../../../ui/forms/form";
import { FormScope, useConfirmLeave } from "../../../../lib/unsaved";
import { useServer } from "../../../../lib/session";
import { useConfirm } from "../../../../ui/confirm";
import { Failure } from "../../../../ui/failure";
import { MasterDetail } from "../../../../ui/masterdetail";
import { fieldsOf } from "./fields";
import { Preview } from "./preview";
import { prefixOf } from "../../../../lib/http/prefix";
import type { Field } from "../../../../ui/forms/types";
import { Checked, faultsOf, Health, reasonOf } from "./health";
import { Button } from "../../../../ui/button";

/** Sources lists the sources of the metadata, adds one, and shows one of them. */
export default function Sources(props: {
  sources: Source[];
  name: string | undefined;
  shown: Source | undefined;
  open: (name: string | undefined) => void;
}) {
  const { sources, shown, open } = props;
  const inconsistencies = useQuery(inconsistencyQuery(useServer()));
  return (
    <>
      {/* Next to a source that is shown, its health says it. */}
      {inconsistencies.isLoadingError && !shown && (
        <Failure error={inconsistencies.error} retry={() => void inconsistencies.refetch()} />
      )}
      <MasterDetail
        words={{
          list: "Sources",
          one: "Source",
          add: "Add a source",
          none: "None: a source is a database whose tables become part of the GraphQL schema.",
          choose: "Choose a source to see how it is reached.",
        }}
        items={sources}
        shown={shown}
        id={props.name ?? ""}
        name={(s) => s.name}
        about={(s) => (
          <>
            {kindName(s.kind)}, {s.tables?.length ?? 0} tracked{" "}
            {reasonOf(s, inconsistencies.data?.inconsistent_objects) && <span className="removed">can't be used</span>}
          </>
        )}
        open={(s) => open(s?.name)}
        form={(close) => <New done={(name) => close(() => open(name))} cancel={() => close()} />}
      >
        {(one, gone, moved) => (
          <Shown
            key={one.name}
            source={one}
            gone={gone}
            reason={reasonOf(one, inconsistencies.data?.inconsistent_objects)}
            open={(name) => moved(() => open(name))}
          />
        )}
      </MasterDetail>
    </>
  );
}

function New(props: { done: (name: string) => void; cancel: () => void }) {
  const found = useQuery(kindsQuery(useServer()));
  const { value: kind, set: setKind, edits } = useConfirmLeave("postgres");
  return (
    <>
      <h2>Add a source</h2>
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      <label className="inline">
        Database type
        <select value={kind} onChange={(e) => setKind(e.target.value)}>
          {(found.data ?? [kind]).map((k) => (
            <option key={k} value={k}>
              {kindName(k)}
            </option>
          ))}
        </select>
      </label>
      {proofOf(kind) && <p className="hint">{proofOf(kind)}</p>}
      <FormScope value={edits}>
        <Form
          key={kind}
          title="Add"
          secrets
          initial={{}}
          fields={() => [{ path: "name", label: "Name", kind: "text", required: true }, ...fieldsOf(kind)]}
          request={(args) => ({ type: `${prefixOf(kind)}_add_source`, args })}
          faults={(error) => faultsOf(kind, error)}
          done={(value) => props.done(String(value.name))}
          cancel={props.cancel}
        />
      </FormScope>
    </>
  );
}

/** withPreview puts what becomes of the names behind the fields that say it. */
function withPreview(fields: Field[], source: Source): Field[] {
  const preview: Field = {
    path: "customization",
    label: "What becomes of its names",
    section: "GraphQL customization",
    kind: "custom",
    control: (props) => <Preview {...props} source={source} />,
  };
  const last = fields.findLastIndex((f) => f.section === preview.section);
  return [...fields.slice(0, last + 1), preview, ...fields.slice(last + 1)];
}

const tagFields: Field[] = [
  { path: "disabled", label: "Without tags", kind: "flag" },
  {
    path: "format",
    label: "Format",
    kind: "choice",
    options: [
      { value: "", label: "standard, at the end (default)" },
      { value: "standard_prepended", label: "standard, at the beginning" },
      { value: "sqlcommenter", label: "sqlcommenter" },
    ],
  },
  {
    path: "omit_request_id",
    label: "Id of the request",
    kind: "object",
    options: [
      { value: "", label: "left out (default)" },
      { value: "false", label: "part of the tag" },
    ],
  },
];

function Shown(props: {
  source: Source;
  gone: boolean;
  reason: string | undefined;
  open: (name: string | undefined) => void;
}) {
  const { source, gone, reason, open } = props;
  const server = useServer();
  const client = useQueryClient();
  const { value: renaming, set: setRenaming, close, edits } = useConfirmLeave(false);
  const { confirm, dialog } = useConfirm();
  const { name, kind, configuration, customization, health_check } = source;
  const known = kinds.includes(kind);
  const prefix = prefixOf(kind);
  const reload = useMutation({
    mutationFn: () => server.metadata("reload_metadata", { reload_sources: [name], reload_remote_schemas: false }),
    onSettled: () => client.invalidateQueries(),
  });
  const exported = useQuery(exportQuery(server)).data!;
  // The document is replaced, as a source that is added has nothing; a version that another user makes meanwhile is
  // refused.
  const anew = (v: Value): MetadataRequest => {
    const { customization: _, health_check: __, ...rest } = source;
    const { metadata, resource_version } = exported;
    return {
      type: "replace_metadata",
      resource_version,
      args: {
        metadata: { ...metadata, sources: [...metadata.sources, { ...rest, ...v }] },
        allow_inconsistent_metadata: true,
      },
    };
  };
  const initial: Value = Object.fromEntries(
    Object.entries({ configuration, customization, health_check }).filter(([, v]) => v !== undefined),
  );
  return (
    <>
      <div className="row">
        <h2>{name}</h2>
        <span className="hint">
          {kindName(kind)}
          {proofOf(kind) && `. ${proofOf(kind)}`}
        </span>
        <Link className="button" to="/data" search={{ source: name }}>
          Tables
        </Link>
        <Button isPending={reload.isPending} onPress={() => reload.mutate()}>
          Reload
        </Button>
        {known && (
          <Button aria-expanded={renaming} onPress={() => setRenaming(!renaming)}>
            Rename
          </Button>
        )}
        <Button
          look="danger"
          onPress={() =>
            confirm({
              title: "Drop",
              // What depends on a source that can't be read isn't known: it is dropped only when nothing does.
              request: known
                ? { type: `${prefix}_drop_source`, args: { name, cascade: reason === undefined } }
                : { type: "drop_inconsistent_metadata", args: {} },
              done: () => open(undefined),
            })
          }
        >
          Drop…
        </Button>
        <span className="hint" role="status">
          {reload.isPending ? "Reloading…" : reload.isSuccess ? "Reloaded" : ""}
        </span>
      </div>
      {reload.error && <Failure error={reload.error} />}
      {known ? (
        <div>
          <Health source={source} />
        </div>
      ) : (
        <p className="removed">{reason ?? `This server has no sources of the kind ${kind}.`}</p>
      )}
      <Checked source={source} />
      {renaming && (
        <FormScope value={edits}>
          <Form
            title="Rename"
            confirm
            initial={{ name, new_name: name }}
            fields={() => [
              {
                path: "new_name",
                label: "Name",
                kind: "text",
                required: true,
                hint: "Relationships of other sources that lead here, and names in other places, aren't changed.",
              },
            ]}
            request={(args) => ({ type: "rename_source", args })}
            faults={(error) => faultsOf(kind, error)}
            done={(v) => open(String(v.new_name))}
            cancel={() => close()}
          />
        </FormScope>
      )}
      {known && (
        <>
          <h3>Connection settings</h3>
          {gone && (
            <p className="hint">
              Added anew, it has its tables, their relationships, permissions and event triggers, its functions and its
              queries again. What led here from other sources and from remote schemas has to be made again.
            </p>
          )}
          <Form
            follows
            title={gone ? "Add it again" : "Change"}
            confirm
            secrets
            initial={initial}
            fields={() => withPreview(fieldsOf(kind), source)}
            request={(v) =>
              gone
                ? anew(v)
                : {
                    type: `${prefix}_update_source`,
                    args: { name, ...v, customization: v.customization ?? {}, health_check: v.health_check ?? null },
                  }
            }
            faults={(error) => faultsOf(kind, error, reason)}
            done={() => {}}
          />
        </>
      )}
      {known && hasTags(kind) && (
        <>
          <h3>Query tags</h3>
          <p className="hint">Comments in statements, by which logs of the database tell what they are for.</p>
          <Form
            follows
            title="Change the tags"
            confirm
            initial={(source.query_tags ?? {}) as Value}
            fields={() => tagFields}
            request={(args) => ({ type: "set_query_tags", args: { source_name: name, ...args } })}
            done={() => {}}
          />
        </>
      )}
      {dialog}
    </>
  );
}
