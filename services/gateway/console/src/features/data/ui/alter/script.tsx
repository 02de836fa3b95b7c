import { useEffect, useMemo, useRef, useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Checkbox, Input, Label, TextField } from "react-aria-components";

import { ApiError, type DryRun, type MetadataRequest } from "../../../../lib/http/client";
import { scriptOf, type Step } from "../../model/ddl";
import { canRehearse } from "../../../../lib/sql/text";
import type { Source } from "../../../../lib/http/types";
import { project } from "../../../../lib/http/project";
import { useServer } from "../../../../lib/session";
import { Button } from "../../../../ui/button";
import { Changes } from "../../../../ui/confirm";
import { Copy } from "../../../../ui/copy";
import { Failure } from "../../../../ui/failure";
import { Loading } from "../../../../ui/progress";
import { prefixOf } from "../../../../lib/http/prefix";
import { Cancel, Window } from "../../../../ui/window";
import { Pre } from "../../../../ui/pre";

/** Script is SQL that waits to be run, with what it is called. */
export interface Script {
  title: string;
  steps: Step[];
  /** A change of the metadata that comes after it. */
  then?: MetadataRequest;
  done?: () => void;
}

/**
 * RunScript shows SQL, and what it would do, before it runs in a source. In a project it becomes a migration. close
 * closes it, and then does something, as that of useConfirmLeave.
 */
export function RunScript(props: Script & { source: Source; close: (then?: () => void) => void }) {
  const { title, source, steps, then, done, close } = props;
  const server = useServer();
  const client = useQueryClient();
  const { up, down } = useMemo(() => scriptOf(steps), [steps]);
  const [cascade, setCascade] = useState(false);
  const [name, setName] = useState("");
  const ran = useRef(false);
  const type = `${prefixOf(source.kind)}_run_sql`;
  const tries = canRehearse(source.kind);
  const trial = useMutation({
    mutationFn: (drop: boolean) =>
      server.query<DryRun>(type, { source: source.name, sql: up, cascade: drop, dry_run: true }),
  });
  const run = useMutation({
    mutationFn: async () => {
      const args = { source: source.name, sql: up, cascade };
      if (!ran.current) await server.sql(type, args, project && { mode: "always", name, down });
      ran.current = true; // what comes after it may fail, and is then tried again
      if (then) await server.change(then);
    },
    onSuccess: () => close(done),
    onSettled: () => client.invalidateQueries(),
  });
  const { mutate } = trial;
  useEffect(() => {
    if (tries) mutate(false);
  }, [tries, mutate]);
  const depends = trial.error instanceof ApiError && trial.error.code === "dependency-error";
  const drop = (selected: boolean) => {
    setCascade(selected);
    if (tries) mutate(selected);
  };
  return (
    <Window title={title} close={() => close()} form edited={name !== "" && !run.isPending}>
      <Pre label="SQL">{up}</Pre>
      <div className="row">
        <Copy texts={{ "Copy the SQL": () => up }} />
      </div>
      {(depends || cascade || !tries) && (
        <Checkbox isSelected={cascade} onChange={drop}>
          Cascade metadata
        </Checkbox>
      )}
      {trial.isPending && tries && <Loading what="what it would do" />}
      {trial.error && <Failure error={trial.error} retry={() => mutate(cascade)} />}
      {trial.data && <Changes changes={trial.data.changes} />}
      {trial.data?.refused && (
        <p className="removed">
          It would be refused: {trial.data.refused.error} (<code>{trial.data.refused.code}</code>)
        </p>
      )}
      {!tries && <p className="hint">SQL can't be tried in sources of this kind before it runs.</p>}
      {project && (
        <>
          <TextField value={name} onChange={setName}>
            <Label>Name of the migration</Label>
            <Input placeholder="its first words" />
          </TextField>
          {down === undefined ? (
            <p className="hint">What takes it back isn't evident: the migration's down.sql is to be written.</p>
          ) : (
            <>
              <p className="hint">The migration is taken back by:</p>
              <Pre label="Down migration">{down}</Pre>
            </>
          )}
        </>
      )}
      {run.error && ran.current && <p className="removed">The SQL has run. What comes after it has not:</p>}
      {run.error && <Failure error={run.error} />}
      <div className="row">
        <Button
          look="primary"
          isPending={run.isPending}
          isDisabled={tries && (!trial.data || trial.isPending || trial.data.refused !== undefined)}
          onPress={() => run.mutate()}
        >
          {ran.current ? "Try again" : "Run"}
        </Button>
        <Cancel />
      </div>
    </Window>
  );
}
