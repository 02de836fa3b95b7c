import { useMemo, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Autocomplete, Dialog, Input, Label, Menu, MenuItem, Modal, ModalOverlay, SearchField } from "react-aria-components";
import type { Area } from "../areas";
import { useSession } from "../session";
import { exportQuery } from "../api/queries";
import { display, schemaOf } from "../api/tables";

/** shownEntries bounds what is listed at once; typing narrows it. */
const shownEntries = 50;

interface Entry {
  id: string;
  name: string;
  what: string;
  open: () => void;
}

/** Palette finds areas and tables by their names. */
export function Palette(props: { areas: readonly Area[]; close: () => void }) {
  const { areas, close } = props;
  const { session, server } = useSession();
  const [text, setText] = useState("");
  const navigate = useNavigate();
  const metadata = useQuery({ ...exportQuery(server), enabled: session?.admin === true });
  const entries = useMemo<Entry[]>(() => {
    const tables = (metadata.data?.metadata.sources ?? []).flatMap((s) =>
      (s.tables ?? []).map((t) => ({
        id: JSON.stringify([s.name, schemaOf(t.table), t.table.name]),
        name: display(t.table),
        what: `table of ${s.name}`,
        open: () => void navigate({ to: "/data", search: { source: s.name, schema: schemaOf(t.table), table: t.table.name } }),
      })),
    );
    const pages = areas.map((a) => ({ id: a.path, name: a.name, what: a.words, open: () => void navigate({ to: a.path }) }));
    return [...pages, ...tables];
  }, [metadata.data, areas, navigate]);
  const wanted = text.toLowerCase();
  const found = entries.filter((e) => e.name.toLowerCase().includes(wanted) || e.what.includes(wanted)).slice(0, shownEntries);
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={close}>
      <Modal className="modal">
        <Dialog aria-label="Search">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField autoFocus>
              <Label>Find an area or a table</Label>
              <Input />
            </SearchField>
            <Menu
              aria-label="Found"
              className="palette-list"
              items={found}
              renderEmptyState={() => <p className="hint">Nothing has this name.</p>}
              onAction={(key) => {
                found.find((e) => e.id === key)?.open();
                close();
              }}
            >
              {(e) => <MenuItem textValue={e.name}><span>{e.name}</span> <small>{e.what}</small></MenuItem>}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
