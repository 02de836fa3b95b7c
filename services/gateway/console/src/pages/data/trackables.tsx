import { useState, type ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, GridList, GridListItem, Input, Label, ListLayout, SearchField, Virtualizer, type Selection } from "react-aria-components";
import { post, type MetadataRequest } from "../../api/client";
import { keyOf, schemaOf } from "../../api/tables";
import type { Name } from "../../api/types";
import { useServer } from "../../session";
import { useConfirm } from "../../shell/confirm";
import { Failure } from "../../shell/failure";

const layout = { rowHeight: 28 };

/** Trackable is something of a database that is tracked, or could be. */
export interface Trackable {
  id: string;
  name: Name;
  text: string;
  tracked: boolean;
  /** It can't be tracked. */
  refused?: boolean;
}

interface TrackablesProps {
  label: string;
  items: Trackable[];
  pending: boolean;
  error: unknown;
  retry: () => void;
  current: Name | undefined;
  open: (name: Name) => void;
  track: (items: Trackable[]) => MetadataRequest;
  untrack: (items: Trackable[]) => MetadataRequest;
  /** Says how they are tracked. */
  children?: ReactNode;
}

type Shown = "all" | "tracked" | "untracked";

/** Trackables lists what a database has, and tracks and untracks many of it at once. */
export function Trackables(props: TrackablesProps) {
  const { label, items, pending, error, retry, current, open, children } = props;
  const server = useServer();
  const client = useQueryClient();
  const [wanted, setWanted] = useState("");
  const [schema, setSchema] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const [selected, setSelected] = useState<Selection>(new Set());
  const { confirm, dialog } = useConfirm();
  const schemas = [...new Set(items.map((i) => schemaOf(i.name) ?? ""))].sort();
  const listed = items.filter((i) => i.text.toLowerCase().includes(wanted.toLowerCase()) && (!schema || schemaOf(i.name) === schema) && (shown === "all" || (shown === "tracked") === i.tracked));
  const chosen = selected === "all" ? listed : items.filter((i) => selected.has(i.id));
  const toTrack = chosen.filter((i) => !i.tracked && !i.refused);
  const toUntrack = chosen.filter((i) => i.tracked);
  const track = useMutation({
    mutationFn: () => post("/v1/metadata", props.track(toTrack), server.credentials),
    onSuccess: () => setSelected(new Set()),
    onSettled: () => client.invalidateQueries({ queryKey: ["metadata"] }),
  });
  return (
    <>
      <div className="fields">
        <SearchField value={wanted} onChange={setWanted}><Label>Find</Label><Input /></SearchField>
        <label>Show<select value={shown} onChange={(e) => setShown(e.target.value as Shown)}><option>all</option><option>tracked</option><option>untracked</option></select></label>
        {schemas.length > 1 && <label>Schema<select value={schema} onChange={(e) => setSchema(e.target.value)}><option value="">all</option>{schemas.map((s) => <option key={s}>{s}</option>)}</select></label>}
      </div>
      {error != null && <Failure error={error} retry={retry} />}
      {track.error && <Failure error={track.error} />}
      <Virtualizer layout={ListLayout} layoutOptions={layout}>
        <GridList
          aria-label={label}
          className="list"
          items={listed}
          dependencies={[current]}
          selectionMode="multiple"
          selectionBehavior="toggle"
          selectedKeys={selected}
          onSelectionChange={setSelected}
          renderEmptyState={() => <span className="hint">{pending ? "Loading…" : "None"}</span>}
        >
          {(i) => (
            <GridListItem textValue={i.text} data-current={(current && keyOf(current) === i.id) || undefined}>
              <span>{i.text}</span>
              <small>
                {!i.tracked && (i.refused ? "can't be tracked " : "untracked ")}
                <Button className="link" onPress={() => open(i.name)} aria-label={`Open ${i.text}`}>open</Button>
              </small>
            </GridListItem>
          )}
        </GridList>
      </Virtualizer>
      <div className="row">
        <Button className="button" onPress={() => setSelected(new Set(listed.map((i) => i.id)))}>Select all</Button>
        <Button className="button primary" isDisabled={!toTrack.length || track.isPending} onPress={() => track.mutate()}>Track {toTrack.length}</Button>
        {children}
        <Button className="button" isDisabled={!toUntrack.length} onPress={() => confirm({ title: "Untrack", request: props.untrack(toUntrack), done: () => setSelected(new Set()) })}>Untrack {toUntrack.length}…</Button>
      </div>
      {dialog}
    </>
  );
}
