import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Input, Label, SearchField } from "react-aria-components";

import type { Change, DryRun, MetadataRequest } from "../lib/http/client";
import { hideSecrets } from "../lib/json/secrets";
import { chunk } from "../lib/chunk";
import { useConfirmLeave } from "../lib/unsaved";
import { useServer } from "../lib/session";
import { Button } from "./button";
import { Failure } from "./failure";
import { Loading } from "./progress";
import { Cancel, Window } from "./window";
import { Pre } from "./pre";
import { texts } from "./texts";
import { askingKey, type Asking } from "../lib/asking";
import { useStored } from "../lib/stored";
import { drops, isLight } from "../lib/weight";
import { widenedBy } from "../features/permissions/model/widened";

const Differing = lazy(chunk(() => import("./differing")));

/** Confirmed is a request that waits to be confirmed, with what it is called. */
export interface Confirmed {
  title: string;
  request: MetadataRequest;
  /** What it means, above what would change. */
  about?: string;
  /** What can be chosen, with the request that is made then; the metadata changes alike. */
  choice?: { label: string; request: MetadataRequest };
  /** It is made, and nothing was read again yet. */
  made?: () => void;
  done?: () => void;
}

/** useConfirm has the function that asks before a request is made, and the dialog that it opens. */
export function useConfirm(): { confirm: (c: Confirmed) => void; dialog: ReactNode } {
  const { value: asked, set, close } = useConfirmLeave<Confirmed | undefined>(undefined);
  return { confirm: set, dialog: asked && <ConfirmChange {...asked} close={close} /> };
}

/**
 * ConfirmChange shows what a request would change, as the server has tried it, before it is made. close closes it, and
 * then does something, as that of useConfirmLeave.
 */
export function ConfirmChange(props: Confirmed & { close: (then?: () => void) => void }) {
  const { title, request, about, choice, close, made, done } = props;
  const [chosen, setChosen] = useState(false);
  const server = useServer();
  const client = useQueryClient();
  const trial = useMutation({ mutationFn: () => server.dryRun(request) });
  const change = useMutation({
    mutationFn: () => server.change(chosen && choice ? choice.request : request),
    onSuccess: async () => {
      made?.();
      await client.invalidateQueries();
      close(done);
    },
  });
  const { mutate } = trial;
  useEffect(() => mutate(), [mutate]);
  const found = trial.data;
  const [asks] = useStored<Asking>(localStorage, askingKey, "weight");
  const widened = useMemo(() => (found?.changes ?? []).flatMap(widenedBy), [found]);
  // What can be undone is made at once; the note that offers to undo it says what it was.
  const light = asks === "weight" && found !== undefined && !choice && isLight(found) && widened.length === 0;
  const { mutate: make, isIdle } = change;
  useEffect(() => {
    if (light && isIdle) make();
  }, [light, isIdle, make]);
  if (asks === "weight" && (trial.isPending || trial.isIdle || (light && !change.error))) return null;
  const dropped = found?.changes.filter(drops) ?? [];
  return (
    <Window title={title} close={() => close()}>
      {about && <p>{about}</p>}
      {trial.isPending && <Loading what="what would change" />}
      {trial.error && <Failure error={trial.error} retry={() => trial.mutate()} />}
      {widened.slice(0, mostNamed).map((w) => (
        <p key={`${w.role} ${w.operation} ${w.table}`}>
          {texts.widens(w)}
          {w.noColumns && <strong className="removed"> {texts.noColumns}</strong>}
          {w.emptyText && <strong className="removed"> {texts.emptyText}</strong>}
        </p>
      ))}
      {found && asks === "weight" && (
        <>
          {dropped.length > 0 && (
            <p>
              {texts.drops(dropped.length)} <strong>{dropped.slice(0, mostNamed).map(shortName).join(", ")}</strong>
              {dropped.length > mostNamed && ", …"}
            </p>
          )}
          <details>
            <summary>{texts.show(found.changes.length)}</summary>
            <Changes changes={found.changes} />
          </details>
        </>
      )}
      {found && asks === "always" && <Changes changes={found.changes} />}
      {found?.undelivered_events && <Undelivered events={found.undelivered_events} />}
      {found && !found.is_consistent && (
        <div className="failure">
          <p className="failure-message">These objects could not be used:</p>
          <ul>
            {found.inconsistent_objects.map((o, i) => (
              <li key={i}>
                {o.name ?? o.type}: {o.reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      {found?.refused && (
        <p className="removed">
          It would be refused: {found.refused.error} (<code>{found.refused.code}</code>,{" "}
          <code>{found.refused.path}</code>)
        </p>
      )}
      {choice && (
        <label className="inline">
          <input type="checkbox" checked={chosen} onChange={(e) => setChosen(e.target.checked)} /> {choice.label}
        </label>
      )}
      {change.error && <Failure error={change.error} />}
      <div className="row">
        <Button
          look="primary"
          className={dropped.length > 0 ? "danger" : undefined}
          isPending={change.isPending}
          isDisabled={!found || found.refused !== undefined}
          onPress={() => change.mutate()}
        >
          {title}
        </Button>
        <Cancel />
      </div>
    </Window>
  );
}

/** mostNamed is how many objects are named before the list of changes. */
const mostNamed = 5;

const shortName = (c: Change) => [c.kind.replaceAll("_", " "), [c.schema, c.name].filter(Boolean).join(".")].join(" ");

/** mostListed is how many triggers are listed by name. */
const mostListed = 10;

/** Undelivered tells of the events that go with their triggers. */
function Undelivered(props: { events: NonNullable<DryRun["undelivered_events"]> }) {
  const { events } = props;
  return (
    <ul className="removed" aria-label="Events that are not delivered">
      {events.slice(0, mostListed).map((e, i) => {
        const n = `${e.events >= mostCounted ? "More than " : ""}${e.events.toLocaleString("en")} ${e.events === 1 ? "event" : "events"}`;
        if (e.error)
          return (
            <li key={i}>
              The events {e.source ? `of ${e.source} that wait` : "that are planned"} can't be counted: {e.error}
            </li>
          );
        return (
          <li key={i}>
            {e.kind === "cron"
              ? `${n} of ${e.trigger}, planned ahead or to be tried again, won't be delivered.`
              : `${n} of ${e.trigger} (${e.source}) ${e.events === 1 ? "waits" : "wait"}, and won't be delivered.`}
          </li>
        );
      })}
      {events.length > mostListed && <li>and those of {events.length - mostListed} more triggers</li>}
    </ul>
  );
}

/** mostCounted is how many events the server counts, of a trigger. */
const mostCounted = 100_000;

/** portion is how many changes are drawn at first, and more at a time; from few on they can be looked for. */
const portion = 200;
const few = 20;

/** short is how many lines are shown at once: what changes is seen without opening it. */
const short = 20;

const named = (c: Change) => `${c.op} ${c.kind} ${[c.source, c.schema, c.name].filter(Boolean).join(".")}`;

/**
 * Changes lists what is added, changed and removed, with the objects before and after. Secrets of sources are hidden
 * until they are asked for.
 */
export function Changes(props: { changes: Change[] }) {
  const { changes } = props;
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState("");
  const [drawn, setDrawn] = useState(portion);
  const hidden = useMemo(() => hideIn(changes), [changes]);
  const opened = useMemo(() => changes.length === 1 || areShort(hidden.changes), [changes, hidden]);
  const found = useMemo(
    () => (open ? changes : hidden.changes).filter((c) => named(c).toLowerCase().includes(wanted.toLowerCase())),
    [open, changes, hidden, wanted],
  );
  if (changes.length === 0) return <p className="hint">Nothing of the metadata changes.</p>;
  const count = (op: Change["op"]) => changes.filter((c) => c.op === op).length;
  return (
    <>
      {changes.length > few && (
        <div className="fields">
          <SearchField value={wanted} onChange={setWanted}>
            <Label>Find a change</Label>
            <Input />
          </SearchField>
          <span className="hint">
            {count("add")} added, {count("change")} changed, {count("remove")} removed
          </span>
        </div>
      )}
      {hidden.secrets.length > 0 && (
        <Button onPress={() => setOpen(!open)}>{open ? "Hide secrets" : "Show secrets"}</Button>
      )}
      <ul className="changes" aria-label="Changes">
        {found.slice(0, drawn).map((c) => (
          <Item key={named(c)} change={c} opened={opened} />
        ))}
      </ul>
      {found.length > drawn && (
        <div className="row">
          <Button onPress={() => setDrawn(drawn + portion)}>Show {Math.min(portion, found.length - drawn)} more</Button>
          <span className="hint">of {found.length.toLocaleString("en")}</span>
        </div>
      )}
    </>
  );
}

/** Item is a change; what of the object differs is only drawn when it is opened. */
function Item(props: { change: Change; opened: boolean }) {
  const { change: c, opened } = props;
  const [open, setOpen] = useState(opened);
  return (
    <li>
      <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>
          <span className={c.op === "add" ? "added" : c.op === "remove" ? "removed" : undefined}>{c.op}</span>
          {named(c).slice(c.op.length)}
        </summary>
        {open && c.op === "change" && (
          <Suspense fallback={<Loading what="what differs" />}>
            <Differing before={c.before} after={c.after} />
          </Suspense>
        )}
        {open && c.op === "remove" && (
          <Pre className="removed" label="Before">
            {JSON.stringify(c.before, null, 2)}
          </Pre>
        )}
        {open && c.op === "add" && (
          <Pre className="added" label="After">
            {JSON.stringify(c.after, null, 2)}
          </Pre>
        )}
      </details>
    </li>
  );
}

/**
 * areShort reports whether changes have few lines in all: those from the first to the last that differs, as comparing
 * takes longer.
 */
function areShort(changes: Change[]): boolean {
  if (changes.length > short) return false;
  let left = short;
  for (const { before, after } of changes) {
    const [old, now] = [linesOf(before), linesOf(after)];
    const least = Math.min(old.length, now.length);
    let [first, last] = [0, 0];
    while (first < least && old[first] === now[first]) first++;
    while (last < least - first && old.at(-1 - last) === now.at(-1 - last)) last++;
    left -= old.length + now.length - 2 * (first + last);
    if (left < 0) return false;
  }
  return true;
}

const linesOf = (part: unknown) => (part === undefined ? [] : JSON.stringify(part, null, 2).split("\n"));

/** hideIn hides the secrets of the sources among changes. */
function hideIn(changes: Change[]): { changes: Change[]; secrets: string[] } {
  const secrets: string[] = [];
  const hide = (part: unknown) => (part === undefined ? undefined : hideSecrets(part, secrets).value);
  return {
    changes: changes.map((c) => (c.kind === "source" ? { ...c, before: hide(c.before), after: hide(c.after) } : c)),
    secrets,
  };
}
