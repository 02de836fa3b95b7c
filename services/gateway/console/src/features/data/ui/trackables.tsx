import { useDeferredValue, useMemo, useState, type ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  Checkbox,
  Collection,
  GridList,
  GridListItem,
  GridListLoadMoreItem,
  Input,
  Label,
  ListLayout,
  SearchField,
  Virtualizer,
  type Selection,
} from "react-aria-components";

import type { MetadataRequest } from "../../../lib/http/client";
import { keyOf, schemaOf } from "../model/tables";
import type { Name } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";

const layout = { rowHeight: 28 };

/**
 * portion is how many entries are made at first, and when the end of them comes into sight: making thousands takes
 * longer than typing a letter.
 */
const portion = 100;

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
  /** What the schema of a name is called. */
  schemaWord: string;
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
  const { label, schemaWord, items, pending, error, retry, current, open, children } = props;
  const server = useServer();
  const client = useQueryClient();
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text.toLowerCase()); // letters appear before a long list does
  const [schema, setSchema] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const [selected, setSelected] = useState<Selection>(new Set());
  const { confirm, dialog } = useConfirm();
  const schemas = useMemo(() => [...new Set(items.map((i) => schemaOf(i.name) ?? ""))].sort(), [items]);
  const listed = useMemo(
    () =>
      items.filter(
        (i) =>
          i.text.toLowerCase().includes(wanted) &&
          (!schema || schemaOf(i.name) === schema) &&
          (shown === "all" || (shown === "tracked") === i.tracked),
      ),
    [items, wanted, schema, shown],
  );
  const [most, setMost] = useState(portion);
  const sought = JSON.stringify([wanted, schema, shown]);
  const [last, setLast] = useState(sought);
  if (sought !== last) {
    setLast(sought);
    setMost(portion);
  }
  const part = useMemo(() => listed.slice(0, most), [listed, most]);
  const chosen = selected === "all" ? listed : items.filter((i) => selected.has(i.id));
  const toTrack = chosen.filter((i) => !i.tracked && !i.refused);
  const toUntrack = chosen.filter((i) => i.tracked);
  const track = useMutation({
    mutationFn: () => server.change(props.track(toTrack)),
    onSuccess: () => setSelected(new Set()),
    onSettled: () => client.invalidateQueries({ queryKey: ["metadata"] }),
  });
  return (
    <>
      <div className="finder">
        <SearchField value={text} onChange={setText}>
          <Label className="spoken">Find</Label>
          <Input placeholder="Find" />
        </SearchField>
        <label>
          <span className="spoken">Show</span>
          <select value={shown} onChange={(e) => setShown(e.target.value as Shown)}>
            <option>all</option>
            <option>tracked</option>
            <option>untracked</option>
          </select>
        </label>
        {schemas.length > 1 && (
          <label>
            <span className="spoken">{schemaWord}</span>
            <select value={schema} onChange={(e) => setSchema(e.target.value)}>
              <option value="">{schemaWord}: all</option>
              {schemas.map((s) => (
                <option key={s}>{s}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {error != null && <Failure error={error} retry={retry} />}
      {track.error && <Failure error={track.error} />}
      <Virtualizer key={sought} layout={ListLayout} layoutOptions={layout}>
        <GridList
          aria-label={label}
          className="list"
          selectionMode="multiple"
          selectionBehavior="toggle"
          selectedKeys={selected}
          onSelectionChange={setSelected}
          onAction={(key) => open(items.find((i) => i.id === key)!.name)}
          renderEmptyState={() => (
            <span className="hint">{pending ? "Loading…" : items.length > 0 ? "None has these words." : "None."}</span>
          )}
        >
          <Collection items={part} dependencies={[current]}>
            {(i) => (
              <GridListItem textValue={i.text} data-current={(current && keyOf(current) === i.id) || undefined}>
                <Checkbox slot="selection" className="react-aria-Checkbox tick" />
                <Button look="link" className="name" onPress={() => open(i.name)} aria-label={`Open ${i.text}`}>
                  {i.text}
                </Button>
                {!i.tracked && <small>{i.refused ? "can't be tracked" : "untracked"}</small>}
              </GridListItem>
            )}
          </Collection>
          {part.length < listed.length && <GridListLoadMoreItem onLoadMore={() => setMost((m) => m + portion)} />}
        </GridList>
      </Virtualizer>
      <div className="row">
        <Button small onPress={() => setSelected(new Set(listed.map((i) => i.id)))}>
          Select all
        </Button>
        <Button look="primary" isPending={track.isPending} isDisabled={!toTrack.length} onPress={() => track.mutate()}>
          Track {toTrack.length}
        </Button>
        {children}
        <Button
          look="danger"
          small
          isDisabled={!toUntrack.length}
          onPress={() =>
            confirm({ title: "Untrack", request: props.untrack(toUntrack), done: () => setSelected(new Set()) })
          }
        >
          Untrack {toUntrack.length}…
        </Button>
      </div>
      {dialog}
    </>
  );
}
