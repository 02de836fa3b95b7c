import { useState } from "react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileTrigger, Input, Label, SearchField, Tab, TabList, TabPanel, Tabs } from "react-aria-components";

import { Link } from "@tanstack/react-router";
import type { Change, Version } from "../../../lib/http/client";
import type { Inconsistency } from "../../../lib/http/types";
import { inconsistencyQuery } from "../api/queries";
import { useConfirmLeave } from "../../../lib/unsaved";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Changes, useConfirm, type Confirmed } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { useStore } from "../../../lib/store";
import { live as liveStore } from "../model/following";
import { saveFile } from "../../../lib/savefile";
import { placeOf } from "../model/place";
import { Reload } from "./reload";
import { Pre } from "../../../ui/pre";
import { Title } from "../../../ui/title";

/** MetadataPage has what is wrong with the metadata, its transfer to and from files, and its history. */
export function MetadataPage() {
  return (
    <div className="page">
      <Title name="Metadata" />
      <Tabs>
        <TabList aria-label="Metadata">
          <Tab id="state">State</Tab>
          <Tab id="history">History</Tab>
        </TabList>
        <TabPanel id="state" className="page">
          <State />
        </TabPanel>
        <TabPanel id="history" className="page">
          <History />
        </TabPanel>
      </Tabs>
    </div>
  );
}

function State() {
  const server = useServer();
  const client = useQueryClient();
  const found = useQuery(inconsistencyQuery(server));
  const { confirm, dialog } = useConfirm();
  const { value: some, set: setSome, close: closeSome } = useConfirmLeave(false);
  const reload = useMutation({
    mutationFn: () => server.metadata("reload_metadata", { reload_sources: true, reload_remote_schemas: true }),
    onSettled: () => client.invalidateQueries(),
  });
  const save = useMutation({
    mutationFn: async () =>
      saveFile("metadata.json", "application/json", [JSON.stringify(await server.export(), null, 2)]),
  });
  const load = useMutation({
    mutationFn: async (file: File) => {
      const read = JSON.parse(await file.text()) as { metadata?: unknown };
      return { type: "replace_metadata", args: { metadata: read.metadata ?? read, allow_inconsistent_metadata: true } };
    },
    onSuccess: (request) => confirm({ title: "Replace the metadata", request }),
  });
  const error = reload.error ?? save.error ?? load.error;
  return (
    <>
      <div className="row">
        <Button isPending={reload.isPending} onPress={() => reload.mutate()}>
          Reload sources and remote schemas
        </Button>
        <Button onPress={() => setSome(true)}>Reload options…</Button>
        <Button isPending={save.isPending} onPress={() => save.mutate()}>
          Export
        </Button>
        <FileTrigger acceptedFileTypes={["application/json"]} onSelect={(files) => files?.[0] && load.mutate(files[0])}>
          <Button>Import…</Button>
        </FileTrigger>
        <Button look="danger" onPress={() => confirm(clearing)}>
          Clear…
        </Button>
        <span className="hint" role="status">
          {reload.isPending ? "Reloading…" : reload.isSuccess ? "Reloaded" : ""}
        </span>
      </div>
      {error && <Failure error={error} />}
      <h2>Inconsistencies</h2>
      {found.isPending && <Loading what="the inconsistencies" />}
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data?.is_consistent && <p className="good">Metadata is consistent.</p>}
      {found.data && !found.data.is_consistent && (
        <>
          <ul className="changes">
            {found.data.inconsistent_objects.map((o, i) => (
              <li key={i}>
                <strong>{o.type ?? "conflict"}</strong> <Way object={o} /> <span className="removed">{o.reason}</span>
                {o.objects && (
                  <ul>
                    {o.objects.map((c, j) => (
                      <li key={j}>
                        <Way object={c} />
                      </li>
                    ))}
                  </ul>
                )}
                <details>
                  <summary>Definition</summary>
                  <Pre label="Definition">{JSON.stringify(o.definition ?? o.objects ?? o.conflicts, null, 2)}</Pre>
                </details>
              </li>
            ))}
          </ul>
          <Button
            look="danger"
            onPress={() =>
              confirm({ title: "Drop inconsistent objects", request: { type: "drop_inconsistent_metadata", args: {} } })
            }
          >
            Drop them…
          </Button>
        </>
      )}
      {dialog}
      {some && <Reload close={() => closeSome()} />}
    </>
  );
}

/** clearing forgets the metadata. */
const clearing: Confirmed = {
  title: "Clear the metadata",
  about:
    "All but the address of the default source is forgotten: sources, tables, permissions, triggers, actions and settings. Tables and rows of the databases stay, and events that wait are not delivered. The history keeps this version: Undo, or going back to it there, brings all of it back.",
  request: { type: "clear_metadata", args: {} },
};

/** Way is the name of an object, as a link to where it is changed. */
function Way(props: { object: Pick<Inconsistency, "type" | "name" | "definition"> }) {
  const place = placeOf(props.object);
  return place ? <Link {...place}>{props.object.name}</Link> : <>{props.object.name}</>;
}

/** listedVersions is how many versions are asked for at once. */
const listedVersions = 50;

/**
 * again is how often the history is read again while it is shown, in ms, where the server doesn't tell of new versions
 * by itself.
 */
const again = 2_000;

/** namedObjects is how many changed objects are named of a version. */
const namedObjects = 3;

function What(props: { version: Version }) {
  const { objects, changed_objects: count } = props.version;
  const named = objects.slice(0, namedObjects);
  return (
    <div>
      {named.map((o, i) => (
        <span key={i}>
          {i > 0 && ", "}
          {o.op} {o.kind} {[o.source, o.schema, o.name].filter(Boolean).join(".")}
        </span>
      ))}
      {count > named.length && (
        <span>
          {named.length > 0 && " and "}
          {count - named.length} {named.length > 0 ? "more" : count === 1 ? "object" : "objects"}
        </span>
      )}
    </div>
  );
}

function History() {
  const server = useServer();
  const [shown, setShown] = useState<number>();
  const [to, setTo] = useState<number>();
  const [before, setBefore] = useState<number>();
  const [following, setFollowing] = useState(true);
  const [wanted, setWanted] = useState("");
  const live = useStore(liveStore);
  const { confirm, dialog } = useConfirm();
  const found = useQuery({
    queryKey: [following ? "metadata" : "history", "versions", before, wanted],
    placeholderData: keepPreviousData,
    refetchInterval: before === undefined && following && !live ? again : false,
    meta: { quiet: true },
    queryFn: ({ signal }) =>
      server.versions({ limit: listedVersions, ...(before && { before }), ...(wanted && { search: wanted }) }, signal),
  });
  const upTo = to ?? found.data?.resource_version;
  const diff = useQuery({
    queryKey: ["metadata", "diff", shown, upTo],
    enabled: shown !== undefined && upTo !== undefined,
    queryFn: ({ signal }) =>
      server.metadata<{ changes: Change[] }, "diff_metadata_versions">(
        "diff_metadata_versions",
        { from: shown!, to: upTo! },
        signal,
      ),
  });
  if (found.isPending) return <Loading what="the history" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const { resource_version: now, versions } = found.data;
  return (
    <>
      <div className="row">
        <SearchField
          className="inline"
          value={wanted}
          onChange={(text) => {
            setWanted(text);
            setBefore(undefined);
          }}
        >
          <Label>Search history</Label>
          <Input />
        </SearchField>
        <label>
          <input type="checkbox" checked={following} onChange={(e) => setFollowing(e.target.checked)} /> Show changes as
          they happen
        </label>
        <span className="hint">Changes by this console, the command line and other API clients.</span>
      </div>
      <div className="split">
        <ul className="changes panel" aria-label="Versions">
          {versions.length === 0 && <li className="hint">No version has all of these words.</li>}
          {versions.map((v) => (
            <li key={v.resource_version}>
              <Button
                look="link"
                aria-pressed={shown === v.resource_version}
                onPress={() => setShown(v.resource_version)}
              >
                Version {v.resource_version}
              </Button>{" "}
              {v.resource_version === now && <strong>current</strong>} <span>{v.operation}</span>
              <div className="hint">
                {new Date(v.at).toLocaleString()}
                {v.by ? ` by ${v.by.user_id ? `${v.by.user_id} as ${v.by.role}` : v.by.role}` : ""}
              </div>
              <What version={v} />
            </li>
          ))}
          <li className="row">
            <Button isDisabled={before === undefined} onPress={() => setBefore(undefined)}>
              Newest
            </Button>
            <Button
              isDisabled={versions.length < listedVersions}
              onPress={() => setBefore(versions.at(-1)?.resource_version)}
            >
              Older
            </Button>
          </li>
        </ul>
        <section className="panel" aria-label="Difference">
          {shown === undefined && <p className="hint">Choose a version to see what has changed since.</p>}
          {shown !== undefined && (
            <>
              <div className="row">
                <h2>{to === undefined ? `Since version ${shown}` : `From version ${shown} to ${to}`}</h2>
                <label className="inline">
                  Up to version
                  <input
                    type="number"
                    min={1}
                    max={now}
                    placeholder={`${now}`}
                    value={to ?? ""}
                    onChange={(e) => setTo(e.target.value === "" ? undefined : Number(e.target.value))}
                  />
                </label>
                <Button
                  isDisabled={shown === now}
                  onPress={() =>
                    confirm({
                      title: `Go back to version ${shown}`,
                      request: { type: "rollback_metadata", args: { version: shown } },
                    })
                  }
                >
                  Go back to it…
                </Button>
              </div>
              {diff.isPending && <Loading what="the difference" />}
              {diff.isLoadingError && <Failure error={diff.error} retry={() => void diff.refetch()} />}
              {diff.data && <Changes changes={diff.data.changes} />}
            </>
          )}
        </section>
      </div>
      {dialog}
    </>
  );
}
