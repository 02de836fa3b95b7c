import { useMemo, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Autocomplete, Dialog, Input, Label, Menu, MenuItem, SearchField } from "react-aria-components";
import type { Area } from "./areas";
import { useSession } from "../lib/session";
import { exportQuery } from "../features/metadata/api/queries";
import { rolesOf } from "../features/permissions/model/roles";
import { display, schemaOf } from "../features/data/model/tables";
import type { MetadataDocument } from "../lib/http/types";
import { Overlay } from "../ui/overlay";

/** shownEntries bounds what is listed at once; typing narrows it. */
const shownEntries = 50;

interface Entry {
  id: string;
  name: string;
  what: string;
  open: () => void;
}

/** entriesOf are the objects of the metadata that have a page. */
function entriesOf(document: MetadataDocument, navigate: ReturnType<typeof useNavigate>): Entry[] {
  const named = (what: string, name: string, open: () => void, of = ""): Entry => ({
    id: JSON.stringify([what, of, name]),
    name,
    what: of ? `${what} of ${of}` : what,
    open,
  });
  const list = <T,>(value: unknown) => (value ?? []) as T[];
  return [
    ...document.sources.flatMap((s) => [
      named("source", s.name, () => void navigate({ to: "/data", search: { source: s.name, view: "sources" } })),
      ...(s.tables ?? []).map((t) =>
        named(
          "table",
          display(t.table),
          () =>
            void navigate({ to: "/data", search: { source: s.name, schema: schemaOf(t.table), table: t.table.name } }),
          s.name,
        ),
      ),
      ...(s.functions ?? []).map((f) =>
        named(
          "function",
          display(f.function),
          () =>
            void navigate({
              to: "/data",
              search: { source: s.name, schema: schemaOf(f.function), function: f.function.name },
            }),
          s.name,
        ),
      ),
      ...(s.tables ?? []).flatMap((t) =>
        list<{ name: string }>(t.event_triggers).map((e) =>
          named(
            "event trigger",
            e.name,
            () => void navigate({ to: "/events", search: { kind: "triggers", source: s.name, name: e.name } }),
            s.name,
          ),
        ),
      ),
    ]),
    ...rolesOf(document).map((r) => named("role", r, () => void navigate({ to: "/permissions", search: { role: r } }))),
    ...list<{ name: string }>(document.actions).map((a) =>
      named("action", a.name, () => void navigate({ to: "/actions", search: { name: a.name } })),
    ),
    ...(document.remote_schemas ?? []).map((r) =>
      named("remote schema", r.name, () => void navigate({ to: "/remote-schemas", search: { name: r.name } })),
    ),
    ...list<{ name: string }>(document.cron_triggers).map((c) =>
      named("cron trigger", c.name, () => void navigate({ to: "/events", search: { kind: "cron", name: c.name } })),
    ),
  ];
}

/** Palette finds areas and objects of the metadata by their names. */
export function Palette(props: { areas: readonly Area[]; close: () => void }) {
  const { areas, close } = props;
  const { session, server } = useSession();
  const [text, setText] = useState("");
  const navigate = useNavigate();
  const metadata = useQuery({ ...exportQuery(server), enabled: session?.admin === true });
  const entries = useMemo<Entry[]>(() => {
    const pages = areas.map((a) => ({
      id: a.path,
      name: a.name,
      what: a.words,
      open: () => void navigate({ to: a.path }),
    }));
    return metadata.data ? [...pages, ...entriesOf(metadata.data.metadata, navigate)] : pages;
  }, [metadata.data, areas, navigate]);
  const wanted = text.toLowerCase();
  const found = entries
    .filter((e) => e.name.toLowerCase().includes(wanted) || e.what.includes(wanted))
    .slice(0, shownEntries);
  return (
    <Overlay close={close} dismissable>
      <Dialog aria-label="Search">
        <Autocomplete inputValue={text} onInputChange={setText}>
          <SearchField autoFocus>
            <Label>Find an area, a table, a role or another object</Label>
            <Input />
          </SearchField>
          <Menu
            aria-label="Found"
            className="palette-list"
            items={found}
            renderEmptyState={() => <p className="hint">Nothing has this name.</p>}
            onAction={(key) => {
              close();
              // The focus goes back in a frame to where it was: a question about leaving it then knows where an answer
              // to stay leads.
              requestAnimationFrame(() => requestAnimationFrame(() => found.find((e) => e.id === key)?.open()));
            }}
          >
            {(e) => (
              <MenuItem textValue={e.name}>
                <span>{e.name}</span> <small>{e.what}</small>
              </MenuItem>
            )}
          </Menu>
        </Autocomplete>
      </Dialog>
    </Overlay>
  );
}
