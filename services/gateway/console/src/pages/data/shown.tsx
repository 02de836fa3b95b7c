import { useStored } from "../../stored";
import { keyOf } from "../../api/tables";
import type { Name } from "../../api/types";

/** useHidden are the columns of a table that aren't shown, which the browser keeps. */
export function useHidden(source: string, table: Name): [string[], (hidden: string[]) => void] {
  const [all, setAll] = useStored<Record<string, string[]>>(localStorage, "query-engine-hidden-columns", {});
  const key = `${source} ${keyOf(table)}`;
  const { [key]: hidden = [], ...others } = all;
  return [hidden, (list) => setAll(list.length > 0 ? { ...others, [key]: list } : others)];
}

/** ShownColumns chooses the columns that are shown. */
export function ShownColumns(props: { columns: string[]; hidden: string[]; change: (hidden: string[]) => void }) {
  const { columns, hidden, change } = props;
  const shown = columns.filter((c) => !hidden.includes(c));
  return (
    <details className="section">
      <summary>Columns: {shown.length === columns.length ? "all" : shown.length} of {columns.length}</summary>
      <div className="names" role="group" aria-label="Columns that are shown">
        {columns.map((c) => (
          <label key={c} className="inline">
            {/* One stays. */}
            <input type="checkbox" checked={!hidden.includes(c)} disabled={shown.length === 1 && shown[0] === c} onChange={(e) => change(e.target.checked ? hidden.filter((h) => h !== c) : [...hidden, c])} />
            {c}
          </label>
        ))}
      </div>
    </details>
  );
}
