import { variableIn, withVariable, type RunAs } from "../lib/http/runas";
import { useStored } from "../lib/stored";
import { RolePicker } from "./role";
import { Button } from "./button";

/** kept bounds what is remembered, shown what of it is offered at once. */
const kept = 40;
const shown = 5;

/**
 * usePast remembers the roles and session variables that requests ran with. They may be secrets: they end with the tab.
 */
export function usePast(): { past: RunAs[]; remember: (as: RunAs) => void } {
  const [past, setPast] = useStored<RunAs[]>(sessionStorage, "query-engine-run-as-past", []);
  const remember = (as: RunAs) => {
    const headers = lines(as).join("\n");
    if (headers)
      setPast((list) =>
        [{ role: as.role, headers }, ...list.filter((p) => p.role !== as.role || p.headers !== headers)].slice(0, kept),
      );
  };
  return { past, remember };
}

/** Past offers the session variables that a role ran with before; without a role, those of every role. */
export function Past(props: { past: RunAs[]; as: RunAs; setAs: (as: RunAs) => void }) {
  const { past, as, setAs } = props;
  const current = lines(as).join("\n");
  const offered = past.filter((p) => (as.role ? p.role === as.role && p.headers !== current : true)).slice(0, shown);
  if (offered.length === 0) return null;
  return (
    <div className="row" role="group" aria-label="Run as before">
      {offered.map((p) => {
        const text = [...(as.role || !p.role ? [] : [p.role]), ...lines(p)].join(", ");
        return (
          <Button key={`${p.role} ${p.headers}`} className="past" onPress={() => setAs(p)}>
            {text}
          </Button>
        );
      })}
    </div>
  );
}

/**
 * RunAsPicker chooses the role and the session variables that requests run with; those that are used have a field each.
 */
export function RunAsPicker(props: { as: RunAs; setAs: (as: RunAs) => void; fixed?: boolean; used?: string[] }) {
  const { as, setAs, fixed, used = [] } = props;
  const { remember } = usePast();
  const set = (headers: string) => setAs({ ...as, headers });
  return (
    <>
      {!fixed && <RolePicker as={as} setAs={setAs} />}
      {used.map((v) => (
        <label key={v}>
          {v}
          <input
            autoComplete="off"
            value={variableIn(as.headers, v)}
            onChange={(e) => set(withVariable(as.headers, v, e.target.value))}
            onBlur={() => remember(as)}
          />
        </label>
      ))}
      <SessionVariables as={as} setAs={setAs} />
    </>
  );
}

/** SessionVariables are those that a role runs with, as lines, next to those that it ran with before. */
export function SessionVariables(props: { as: RunAs; setAs: (as: RunAs) => void }) {
  const { as, setAs } = props;
  const { past, remember } = usePast();
  if (!as.role && past.length === 0) return null;
  return (
    <div className="fields">
      {as.role && (
        <label>
          Session variables
          <textarea
            rows={Math.min(4, as.headers.split("\n").length)}
            spellCheck="false"
            placeholder="x-engine-user-id: 7"
            value={as.headers}
            onChange={(e) => setAs({ ...as, headers: e.target.value })}
            onBlur={() => remember(as)}
          />
        </label>
      )}
      <Past past={past} as={as} setAs={setAs} />
    </div>
  );
}

function lines(as: RunAs): string[] {
  return as.headers
    .split("\n")
    .map((l) => l.trim())
    .filter(Boolean);
}
