import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Checkbox, CheckboxGroup, Label } from "react-aria-components";
import { exportQuery } from "../api/queries";
import { useServer } from "../../../lib/session";
import { Ask } from "../../../ui/ask";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";

/** Reload reads what is chosen of the metadata anew from where it comes. */
export function Reload(props: { close: () => void }) {
  const server = useServer();
  const metadata = useQuery(exportQuery(server));
  const [sources, setSources] = useState<string[]>([]);
  const [remotes, setRemotes] = useState<string[]>([]);
  const [triggers, setTriggers] = useState<string[]>([]);
  const document = metadata.data?.metadata;
  const all = document?.sources ?? [];
  const withTriggers = all.filter((s) => s.tables?.some((t) => (t.event_triggers?.length ?? 0) > 0)).map((s) => s.name);
  const does = [
    sources.length > 0 && `reads the tables, columns and functions of ${named(sources)} again`,
    remotes.length > 0 && `asks ${named(remotes)} for the schema again`,
    triggers.length > 0 &&
      `drops the database triggers of the event triggers of ${named(triggers)} and recreates them; written events stay`,
  ].filter((t) => t !== false);
  const reload = () =>
    server.metadata("reload_metadata", {
      reload_sources: sources,
      reload_remote_schemas: remotes,
      recreate_event_triggers: triggers,
    });
  return (
    <Ask title="Reload" request={reload} close={props.close} disabled={does.length === 0} edited={does.length > 0}>
      {metadata.isPending && <Loading what="the sources" />}
      {metadata.isLoadingError && <Failure error={metadata.error} retry={() => void metadata.refetch()} />}
      <Choice label="Sources" names={all.map((s) => s.name)} chosen={sources} choose={setSources} />
      <Choice
        label="Remote schemas"
        names={(document?.remote_schemas ?? []).map((r) => r.name)}
        chosen={remotes}
        choose={setRemotes}
      />
      <Choice label="Recreate event triggers" names={withTriggers} chosen={triggers} choose={setTriggers} />
      <p role="status">
        {does.length > 0
          ? `It ${does.join("; and ")}. The metadata stays as it is; what can't be used then is listed as inconsistent.`
          : "Nothing is chosen: nothing is done."}
      </p>
    </Ask>
  );
}

function Choice(props: { label: string; names: string[]; chosen: string[]; choose: (names: string[]) => void }) {
  const { label, names, chosen, choose } = props;
  if (names.length === 0) return null;
  return (
    <CheckboxGroup value={chosen} onChange={choose}>
      <Label>{label}</Label>
      <div className="row">
        {names.length > 1 && (
          <button
            type="button"
            className="button small"
            onClick={() => choose(chosen.length === names.length ? [] : names)}
          >
            {chosen.length === names.length ? "None" : "All"}
          </button>
        )}
        {names.map((n) => (
          <Checkbox key={n} value={n}>
            {n}
          </Checkbox>
        ))}
      </div>
    </CheckboxGroup>
  );
}

function named(names: string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}
