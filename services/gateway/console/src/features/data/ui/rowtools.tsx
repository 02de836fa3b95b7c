import { lazy, Suspense } from "react";
import { createPortal } from "react-dom";
import type { Rights } from "../../permissions/model/rights";
import type { Row } from "../../../lib/json/rows";
import type { Table } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import { useConfirmLeave } from "../../../lib/unsaved";
import { Button } from "../../../ui/button";
import { icons } from "../../../ui/icons";
import { Loading } from "../../../ui/progress";
import type { ControlContext } from "./controlprops";
import { DeleteRows } from "./deleterows";
import { Follow } from "./follow";
import { ImportRows } from "./importrows";
import { RowForm } from "./rowform";
import { texts } from "./texts";

const BulkEdit = lazy(chunk(() => import("./bulkedit")));

/** Doing is what is being done with rows. */
type Doing = { what: "insert" | "import" | "set" } | { what: "change"; row: Row } | { what: "delete"; rows: Row[] };

interface RowToolsProps {
  context: ControlContext;
  table: Table;
  rights: Rights;
  /** The columns by which rows are found again, undefined where there are none. */
  rowKey: string[] | undefined;
  columns: string[];
  chosen: Row[];
  /** The rule of all rows that the conditions let through. */
  where: object;
  loaded: boolean;
  /** Says what came of it. */
  say: (text: string) => void;
  unselect: () => void;
  /** Where what is done with the chosen rows has its place. */
  bar: HTMLElement | null;
}

/** RowTools has what is done with the chosen rows, and with those that are to be. */
export function RowTools(props: RowToolsProps) {
  const { context, table, rights, rowKey: key, columns, chosen, where, loaded, say, unselect, bar } = props;
  const { source, info, as } = context;
  const asking = useConfirmLeave<Doing | undefined>(undefined);
  const doing = asking.value;
  const act = (d: Doing) => {
    say("");
    asking.set(d);
  };
  const close = (then?: () => void) => asking.close(then);
  const setting = key !== undefined && rights.update.length > 0;
  return (
    <>
      {rights.insert.length > 0 && (
        <>
          <Button icon={icons.Plus} onPress={() => act({ what: "insert" })}>
            {texts.insert}
          </Button>
          <Button look="quiet" icon={icons.Upload} label={texts.importCSV} onPress={() => act({ what: "import" })} />
        </>
      )}
      {setting && (
        <Button
          look="quiet"
          icon={icons.PencilRuler}
          label={texts.bulkEdit}
          isDisabled={!loaded}
          onPress={() => act({ what: "set" })}
        />
      )}
      {bar &&
        chosen.length > 0 &&
        createPortal(
          <div className="toolbar selection" role="group" aria-label={texts.selection}>
            <strong>{texts.selected(chosen.length)}</strong>
            {setting && chosen.length === 1 && (
              <Button small icon={icons.Pencil} onPress={() => act({ what: "change", row: chosen[0]! })}>
                {texts.edit}
              </Button>
            )}
            {key && rights.remove && (
              <Button look="danger" small icon={icons.Trash2} onPress={() => act({ what: "delete", rows: chosen })}>
                {texts.remove(chosen.length)}
              </Button>
            )}
            {chosen.length === 1 && <Follow source={source} table={table} info={info} row={chosen[0]!} />}
            <Button
              look="quiet"
              small
              className="push"
              icon={icons.X}
              label={texts.clearSelection}
              onPress={unselect}
            />
          </div>,
          bar,
        )}
      {doing?.what === "import" && (
        <ImportRows source={source} info={info} as={as} columns={rights.insert} close={close} />
      )}
      {doing?.what === "insert" && <RowForm context={context} columns={rights.insert} close={close} />}
      {doing?.what === "change" && <RowForm context={context} columns={rights.update} row={doing.row} close={close} />}
      {doing?.what === "set" && key && (
        <Suspense fallback={<Loading what="the form" />}>
          <BulkEdit
            context={context}
            columns={rights.update}
            rows={chosen}
            rowKey={key}
            where={where}
            close={close}
            done={say}
          />
        </Suspense>
      )}
      {doing?.what === "delete" && key && (
        <DeleteRows
          source={source}
          table={table}
          info={info}
          as={as}
          columns={columns}
          rows={doing.rows}
          rowKey={key}
          close={close}
          done={(text) => {
            say(text);
            unselect();
          }}
        />
      )}
    </>
  );
}
