import { Button } from "react-aria-components";
import { useConfirmLeave } from "../lib/unsaved";
import { lastChange } from "../lib/http/lastchange";
import { useStore } from "../lib/store";
import { ConfirmChange } from "../ui/confirm";

/** UndoNotice offers to take the last change of the metadata back, as long as it is the last one. */
export function UndoNotice() {
  const made = useStore(lastChange);
  const { value: asked, set: setAsked, close } = useConfirmLeave<typeof made>(undefined);
  return (
    <>
      <div className="written" role="status" aria-label="Last change">
        {made && (
          <p>
            <code>{made.operation}</code> made version {made.version} of the metadata.
          </p>
        )}
        {made && (
          <Button className="button" onPress={() => setAsked(made)}>
            Undo…
          </Button>
        )}
        {made && (
          <Button className="button" onPress={() => lastChange.set(undefined)}>
            Dismiss
          </Button>
        )}
      </div>
      {asked && (
        <ConfirmChange
          title="Undo"
          about={`The metadata becomes that of version ${asked.version - 1} again. Rows and tables of the databases stay as they are.`}
          request={{ type: "rollback_metadata", resource_version: asked.version, args: { version: asked.version - 1 } }}
          close={close}
        />
      )}
    </>
  );
}
