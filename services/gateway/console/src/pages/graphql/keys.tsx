import { Button } from "react-aria-components";
import { Window } from "../../shell/window";

/** keys are those of the page and of its editors. */
const keys: [string, string][] = [
  ["Ctrl Enter", "Run the operation at the cursor"],
  ["Ctrl Space", "Complete: fields, arguments, and variables"],
  ["Ctrl Shift P", "Prettify the operation and its variables"],
  ["Ctrl Shift M", "Put the fragments where they are used"],
  ["F1", "Show what is at the cursor in the documentation"],
  ["F8", "Go to the next mistake"],
  ["Ctrl /", "Make the line a comment, or no longer"],
  ["Ctrl Z", "Undo; Ctrl Y does it again"],
  ["Escape, Tab", "Leave the editor"],
  ["Ctrl K", "Find an area or a table"],
];

/** Keys lists the keys of the page; on a Mac, Ctrl is ⌘. */
export function Keys(props: { close: () => void }) {
  return (
    <Window title="Keys" close={props.close}>
      <dl className="pairs">{keys.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
      <p className="hint">On a Mac, Ctrl is ⌘.</p>
      <div className="row"><Button className="button" autoFocus onPress={props.close}>Close</Button></div>
    </Window>
  );
}
