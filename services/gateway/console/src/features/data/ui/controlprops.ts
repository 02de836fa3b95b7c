import type { RunAs } from "../../../lib/http/runas";
import type { MetadataDocument, Source, TableDescription } from "../../../lib/http/types";
import type { Draft } from "../api/edits";
import type { ColumnInfo, TableInfo } from "../model/tables";

/** ControlContext is what controls know of the table that their columns are of, and as whom choices are read. */
export interface ControlContext {
  document: MetadataDocument;
  source: Source;
  info: TableInfo;
  /** Undefined until it is read, or where it can't be: native enums have no choices then. */
  described: TableDescription | undefined;
  as: RunAs;
}

/** Together is the row whose columns a foreign key of several of them is chosen for. */
export interface Together {
  /** What another column is to get; undefined where that isn't known. */
  draftOf: (column: string) => Draft | undefined;
  isWritable: (column: string) => boolean;
  /** Takes the drafts of all columns of the key that was chosen, of those that can't be written, too. */
  choose: (drafts: Record<string, Draft>) => void;
}

/** ControlProps are those of each control. */
export interface ControlProps {
  context: ControlContext;
  column: ColumnInfo;
  draft: Draft;
  edit: (draft: Draft) => void;
  /** Without it, foreign keys of several columns have no list. */
  together?: Together;
  id: string;
  /** The id of what is said about it. */
  about: string;
  invalid: boolean;
  autoFocus?: boolean;
}
