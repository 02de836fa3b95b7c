import { askingKey, type Asking } from "../../../lib/asking";
import { useStored } from "../../../lib/stored";
import { texts } from "./texts";

/** Preferences are settings of this browser, not of the server. */
export function Preferences() {
  const [asks, setAsks] = useStored<Asking>(localStorage, askingKey, "weight");
  return (
    <section className="panel" aria-label={texts.browser}>
      <label className="field">
        {texts.ask}
        <select value={asks} onChange={(e) => setAsks(e.target.value as Asking)}>
          <option value="weight">{texts.weight}</option>
          <option value="always">{texts.always}</option>
        </select>
        <span className="hint">{texts.hint}</span>
      </label>
    </section>
  );
}
