import { Suspense, useRef, useState } from "react";
import { draftOf, type Draft } from "../api/edits";
import type { Row } from "../../../lib/json/rows";
import type { Arrangement } from "../../../ui/arrangement";
import { DataGrid, type GridHandle } from "../../../ui/datagrid";
import { Loading } from "../../../ui/progress";
import { CellEditor, type Step } from "./celleditor";
import { faultAt, mostEdits, withDraft, type Edits } from "./changes";
import type { ControlContext } from "./controlprops";

/** Opened is the cell that is edited. */
interface Opened {
  row: Row;
  key: string;
  column: string;
  draft: Draft;
  before: Draft;
  fixed?: string;
}

interface RowGridProps {
  context: ControlContext;
  rows: Row[];
  keys: string[];
  columns: string[];
  /** Why the cells of a column can't be written, undefined for those that can. */
  fixedOf: (column: string) => string | undefined;
  edits: Edits;
  change: (edits: (e: Edits) => Edits) => void;
  arrangement: Arrangement;
  onArrange: (a: Arrangement) => void;
  sort?: { column: string; descending: boolean };
  onSort: (column: string) => void;
  selected: Set<string>;
  onSelect: (keys: Set<string>) => void;
  say: (text: string) => void;
  /** The name of what the foreign key of a column leads to, and the way there. */
  linkOf: (column: string) => string | undefined;
  follow: (row: Row, column: string) => void;
}

/** RowGrid shows rows with what of them isn't saved, and edits their cells in their places. */
export function RowGrid(props: RowGridProps) {
  const {
    context,
    rows,
    keys,
    columns,
    fixedOf,
    edits,
    change,
    arrangement,
    onArrange,
    sort,
    onSort,
    selected,
    onSelect,
    say,
    linkOf,
    follow,
  } = props;
  const [opened, setOpened] = useState<Opened>();
  const cell = useRef<HTMLElement>(null);
  const grid = useRef<GridHandle>(null);
  const columnOf = (name: string) => context.info.columns.find((c) => c.name === name)!;
  const open = (row: number, name: string, element: HTMLElement, letters?: string | null) => {
    const column = columnOf(name);
    const fixed = fixedOf(name);
    const draft = edits[keys[row]!]?.drafts[name] ?? draftOf(column, rows[row]!);
    if (letters === null && (fixed !== undefined || !column.nullable)) return;
    if (letters === null) return change((e) => withDraft(e, keys[row]!, rows[row]!, column, { how: "null", text: "" }));
    if (letters !== undefined && fixed !== undefined) return;
    cell.current = element;
    setOpened({
      row: rows[row]!,
      key: keys[row]!,
      column: name,
      fixed,
      before: draft,
      draft: letters === undefined ? draft : { how: "value", text: letters },
    });
  };
  const isWritable = (column: string) => fixedOf(column) === undefined;
  const edited = (drafts: Record<string, Draft>, step: Step) => {
    const { row, key: of, column } = opened!;
    setOpened(undefined);
    if (!(of in edits) && Object.keys(edits).length >= mostEdits)
      return say(`${mostEdits} rows are changed: save them first.`);
    const writable = Object.entries(drafts).filter(([c]) => c === column || isWritable(c));
    change((e) => writable.reduce((all, [c, draft]) => withDraft(all, of, row, columnOf(c), draft), e));
    if (step === "next") grid.current?.right();
  };
  return (
    <>
      <DataGrid
        handle={grid}
        label="Rows"
        columns={columns}
        types={Object.fromEntries(context.info.columns.map((c) => [c.name, c.type]))}
        keys={keys}
        cell={(row, c) => {
          const edit = edits[keys[row]!];
          const draft = edit?.drafts[c];
          return draft
            ? { value: draft.how === "null" ? null : draft.text, edited: true, fault: faultAt(edit, c) }
            : { value: rows[row]![c] };
        }}
        arrangement={arrangement}
        onArrange={onArrange}
        sort={sort}
        onSort={onSort}
        selected={selected}
        onSelect={onSelect}
        onOpen={open}
        linkOf={linkOf}
        onFollow={(row, c) => follow(rows[row]!, c)}
      />
      {opened && (
        <Suspense fallback={<Loading what="the control" />}>
          <CellEditor
            key={`${opened.key} ${opened.column}`}
            context={context}
            column={columnOf(opened.column)}
            cell={cell}
            draft={opened.draft}
            before={opened.before}
            fault={faultAt(edits[opened.key], opened.column)}
            fixed={opened.fixed}
            others={{
              draftOf: (c) =>
                edits[opened.key]?.drafts[c] ?? (c in opened.row ? draftOf(columnOf(c), opened.row) : undefined),
              isWritable,
            }}
            done={edited}
            close={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
