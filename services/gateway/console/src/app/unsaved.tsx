import { useBlocker } from "@tanstack/react-router";
import { Dialog, Heading } from "react-aria-components";
import { mayLeave, pageEdits, question } from "../lib/unsaved";
import { useStore } from "../lib/store";
import { Overlay } from "../ui/overlay";
import { Button } from "../ui/button";

/**
 * Unsaved asks before a page with unsaved edits is left, by whatever leads away from it, and before a part of it is.
 */
export function Unsaved() {
  useBlocker({
    // Where only the fragment changes, as with the conditions of rows, the forms stay.
    shouldBlockFn: async ({ current, next }) =>
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)) &&
      !(await mayLeave(pageEdits)),
    enableBeforeUnload: () => pageEdits.unsaved,
  });
  const answer = useStore(question);
  if (!answer) return null;
  return (
    <Overlay close={() => answer(false)}>
      <Dialog role="alertdialog" className="page">
        <Heading slot="title" level={2}>
          Unsaved changes
        </Heading>
        <p>What you have changed here isn't saved.</p>
        <div className="row">
          <Button look="primary" autoFocus onPress={() => answer(false)}>
            Stay
          </Button>
          <Button onPress={() => answer(true)}>Discard the changes</Button>
        </div>
      </Dialog>
    </Overlay>
  );
}
