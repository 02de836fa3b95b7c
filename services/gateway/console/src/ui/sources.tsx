import type { Source } from "../lib/http/types";

/** SourcePicker chooses a source. */
export function SourcePicker(props: { sources: Source[]; value: string; onChange: (name: string) => void }) {
  return (
    <label className="inline">
      <span className="spoken">Source</span>
      <select value={props.value} onChange={(e) => props.onChange(e.target.value)}>
        {props.sources.map((s) => (
          <option key={s.name} value={s.name}>
            {s.name} ({s.kind})
          </option>
        ))}
      </select>
    </label>
  );
}
