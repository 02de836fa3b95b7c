import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lastChange, type LastChange } from "../lib/http/lastchange";
import { useServer } from "../lib/session";
import { useStore } from "../lib/store";
import { Button } from "../ui/button";
import { Failure } from "../ui/failure";
import { icons } from "../ui/icons";
import { Toast } from "../ui/toast";
import { texts } from "./texts";

/** UndoNotice shows the last metadata change and undoes it until another change follows. */
export function UndoNotice() {
  const made = useStore(lastChange);
  const server = useServer();
  const client = useQueryClient();
  const undo = useMutation({
    mutationFn: ({ version }: LastChange) =>
      server.change({ type: "rollback_metadata", resource_version: version, args: { version: version - 1 } }),
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <Toast
      label={texts.lastChange}
      id={made && `${made.version}`}
      stays={undo.isError}
      close={() => {
        lastChange.set(undefined);
        undo.reset();
      }}
    >
      {made && (
        <>
          <p>{made.words}</p>
          <Button small icon={icons.Undo2} isPending={undo.isPending} onPress={() => undo.mutate(made)}>
            {texts.undo}
          </Button>
          {undo.error && <Failure error={undo.error} />}
        </>
      )}
    </Toast>
  );
}
