import { useState } from "react";
import { GridList, GridListItem, useDragAndDrop } from "react-aria-components";
import { arrange, arranged, type Arrangement } from "../../../ui/arrangement";
import { Button } from "../../../ui/button";

/** Columns chooses which columns are shown, and in which order: dragged, also by keys. */
export default function ColumnPicker(props: {
  columns: string[];
  arrangement: Arrangement;
  change: (a: Arrangement) => void;
}) {
  const { columns, arrangement, change } = props;
  const [search, setSearch] = useState("");
  const all = arranged(columns, { ...arrangement, hidden: [] });
  const listed = all.filter((c) => c.toLowerCase().includes(search.toLowerCase()));
  const shown = all.filter((c) => !arrangement.hidden.includes(c));
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((k) => ({ "text/plain": String(k) })),
    onReorder: ({ keys, target }) => {
      const [moved] = [...keys].map(String);
      const at = all.indexOf(String(target.key));
      if (moved !== undefined)
        change({ ...arrangement, order: arrange(all, moved, target.dropPosition === "before" ? at : at + 1) });
    },
  });
  return (
    <div className="form">
      <div className="row">
        <input
          type="search"
          aria-label="Find a column"
          placeholder="Find a column"
          value={search}
          onChange={(e) => setSearch(e.target.value)}
        />
        <Button onPress={() => change({ ...arrangement, hidden: [] })}>Show all</Button>
        <Button onPress={() => change({ order: [], widths: {}, hidden: [] })}>As in the database</Button>
      </div>
      <GridList
        className="list short"
        aria-label="Columns"
        items={listed.map((id) => ({ id }))}
        dragAndDropHooks={search ? undefined : dragAndDropHooks}
        selectionMode="multiple"
        selectionBehavior="toggle"
        disallowEmptySelection
        selectedKeys={listed.filter((c) => !arrangement.hidden.includes(c))}
        onSelectionChange={(keys) => {
          const kept = keys === "all" ? listed : listed.filter((c) => keys.has(c));
          const hidden = columns.filter((c) =>
            listed.includes(c) ? !kept.includes(c) : arrangement.hidden.includes(c),
          );
          if (hidden.length < columns.length) change({ ...arrangement, hidden });
        }}
      >
        {({ id }) => (
          <GridListItem id={id} textValue={id}>
            <Button slot="drag" small isDisabled={search !== ""}>
              ≡
            </Button>
            <span className="tick-box" />
            <span>{id}</span>
          </GridListItem>
        )}
      </GridList>
      <span className="hint">
        {shown.length} of {columns.length} are shown. Enter on ≡ takes a column up, ↑ and ↓ move it.
      </span>
    </div>
  );
}
