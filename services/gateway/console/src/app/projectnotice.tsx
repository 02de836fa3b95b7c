import { useMutation } from "@tanstack/react-query";
import { post } from "../lib/http/client";
import { lastWritten, writePath } from "../lib/http/project";
import { useStore } from "../lib/store";
import { useSession } from "../lib/session";
import { Failure } from "../ui/failure";
import { Button } from "../ui/button";

/** ProjectNotice tells what was written into the project, and what could not be. */
export function ProjectNotice() {
  const { session } = useSession();
  const written = useStore(lastWritten);
  const again = useMutation({ mutationFn: () => post(writePath, {}, session!.credentials) });
  return (
    <div className="written" role="status" aria-label="Written into the project">
      {written?.migrations?.map((m) => (
        <p key={m}>
          Wrote the migration <code>{m}</code>
          {written.down ? (
            ", with what takes it back."
          ) : (
            <>
              ; its <code>down.sql</code> is to be written.
            </>
          )}
        </p>
      ))}
      {written?.files !== undefined && (
        <p>
          Wrote {written.files} {written.files === 1 ? "file" : "files"} of metadata.
        </p>
      )}
      {written?.error && <p className="removed">{written.error}</p>}
      {written?.error && (
        <Button isPending={again.isPending} onPress={() => again.mutate()}>
          Write the server's metadata over the files
        </Button>
      )}
      {again.error && <Failure error={again.error} />}
      {written && <Button onPress={() => lastWritten.set(undefined)}>Close</Button>}
    </div>
  );
}
