import { lazy, Suspense } from "react";
import type { Rights } from "../../permissions/model/rights";
import type { Row } from "../../../lib/json/rows";
import type { Table } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import { useConfirmLeave } from "../../../lib/unsaved";
import { Button } from "../../../ui/button";
import { Loading } from "../../../ui/progress";
import type { ControlContext } from "./controlprops";
import { DeleteRows } from "./deleterows";
import { Follow } from "./follow";
import { ImportRows } from "./importrows";
import { RowForm } from "./rowform";

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
  /** What came of it, and its setter. */
  said: string;
  say: (text: string) => void;
  deleted: () => void;
}

/** RowTools has what is done with the chosen rows, and with those that are to be. */
export function RowTools(props: RowToolsProps) {
  const { context, table, rights, rowKey: key, columns, chosen, where, loaded, said, say, deleted } = props;
  const { source, info, as } = context;
  const asking = useConfirmLeave<Doing | undefined>(undefined);
  const doing = asking.value;
  const act = (d: Doing) => {
    say("");
    asking.set(d);
  };
  const close = () => asking.close();
  return (
    <>
      <div className="row">
        {rights.insert.length > 0 && (
          <Button className="button" onPress={() => act({ what: "insert" })}>
            Insert a row
          </Button>
        )}
        {rights.insert.length > 0 && (
          <Button className="button" onPress={() => act({ what: "import" })}>
            Import CSV…
          </Button>
        )}
        {key && rights.update.length > 0 && (
          <Button
            className="button"
            isDisabled={chosen.length !== 1}
            onPress={() => act({ what: "change", row: chosen[0]! })}
          >
            Change the row
          </Button>
        )}
        {key && rights.update.length > 0 && (
          <Button className="button" isDisabled={!loaded} onPress={() => act({ what: "set" })}>
            Set a column…
          </Button>
        )}
        {key && rights.remove && (
          <Button
            className="button"
            isDisabled={chosen.length === 0}
            onPress={() => act({ what: "delete", rows: chosen })}
          >
            Delete {chosen.length}…
          </Button>
        )}
        <Follow source={source} table={table} info={info} row={chosen.length === 1 ? chosen[0] : undefined} />
        <span className="hint" role="status">
          {said}
        </span>
      </div>
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
            deleted();
          }}
        />
      )}
    </>
  );
}
