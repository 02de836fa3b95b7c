import { useEffect, useMemo, useState, type ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { Change, MetadataRequest } from "../api/client";
import { hideSecrets } from "../api/secrets";
import { useServer } from "../session";
import { Failure } from "./failure";
import { Loading } from "./progress";
import { Window } from "./window";

/** Confirmed is a request that waits to be confirmed, with what it is called. */
export interface Confirmed {
  title: string;
  request: MetadataRequest;
  /** What it means, above what would change. */
  about?: string;
  /** It is made, and nothing was read again yet. */
  made?: () => void;
  done?: () => void;
}

/** useConfirm has the function that asks before a request is made, and the dialog that it opens. */
export function useConfirm(): { confirm: (c: Confirmed) => void; dialog: ReactNode } {
  const [asked, setAsked] = useState<Confirmed>();
  return { confirm: setAsked, dialog: asked && <ConfirmChange {...asked} close={() => setAsked(undefined)} /> };
}

/** ConfirmChange shows what a request would change, as the server has tried it, before it is made. */
export function ConfirmChange(props: Confirmed & { close: () => void }) {
  const { title, request, about, close, made, done } = props;
  const server = useServer();
  const client = useQueryClient();
  const trial = useMutation({ mutationFn: () => server.dryRun(request) });
  const change = useMutation({
    mutationFn: () => server.change(request),
    onSuccess: async () => {
      made?.();
      await client.invalidateQueries();
      close();
      done?.();
    },
  });
  const { mutate } = trial;
  useEffect(() => mutate(), [mutate]);
  const found = trial.data;
  return (
    <Window title={title} close={close}>
      {about && <p>{about}</p>}
      {trial.isPending && <Loading what="what would change" />}
      {trial.error && <Failure error={trial.error} retry={() => trial.mutate()} />}
      {found && <Changes changes={found.changes} />}
      {found && !found.is_consistent && (
        <div className="failure">
          <p className="failure-message">These objects could not be used:</p>
          <ul>{found.inconsistent_objects.map((o, i) => <li key={i}>{o.name ?? o.type}: {o.reason}</li>)}</ul>
        </div>
      )}
      {found?.refused && <p className="removed">It would be refused: {found.refused.error} (<code>{found.refused.code}</code>, <code>{found.refused.path}</code>)</p>}
      {change.error && <Failure error={change.error} />}
      <div className="row">
        <Button className="button primary" isDisabled={!found || found.refused !== undefined || change.isPending} onPress={() => change.mutate()}>{title}</Button>
        <Button className="button" onPress={close}>Cancel</Button>
      </div>
    </Window>
  );
}

/** shownChanges bounds how many changes are listed. */
const shownChanges = 300;

/** Changes lists what is added, changed and removed, with the objects before and after. Secrets of sources are hidden until they are asked for. */
export function Changes(props: { changes: Change[] }) {
  const { changes } = props;
  const [open, setOpen] = useState(false);
  const hidden = useMemo(() => hideIn(changes.slice(0, shownChanges)), [changes]);
  if (changes.length === 0) return <p className="hint">Nothing of the metadata changes.</p>;
  return (
    <>
      {hidden.secrets.length > 0 && <Button className="button" onPress={() => setOpen(!open)}>{open ? "Hide secrets" : "Show secrets"}</Button>}
      <ul className="changes" aria-label="Changes">
        {(open ? changes.slice(0, shownChanges) : hidden.changes).map((c, i) => (
          <li key={i}>
            <details>
              <summary>
                <span className={c.op === "add" ? "added" : c.op === "remove" ? "removed" : undefined}>{c.op}</span>{" "}
                {c.kind} {[c.source, c.schema, c.name].filter(Boolean).join(".")}
              </summary>
              {c.before !== undefined && <pre className="removed" tabIndex={0} aria-label="Before">{JSON.stringify(c.before, null, 2)}</pre>}
              {c.after !== undefined && <pre className="added" tabIndex={0} aria-label="After">{JSON.stringify(c.after, null, 2)}</pre>}
            </details>
          </li>
        ))}
        {changes.length > shownChanges && <li className="hint">{changes.length - shownChanges} more</li>}
      </ul>
    </>
  );
}

/** hideIn hides the secrets of the sources among changes. */
function hideIn(changes: Change[]): { changes: Change[]; secrets: string[] } {
  const secrets: string[] = [];
  const hide = (part: unknown) => (part === undefined ? undefined : hideSecrets(part, secrets).value);
  return { changes: changes.map((c) => (c.kind === "source" ? { ...c, before: hide(c.before), after: hide(c.after) } : c)), secrets };
}
