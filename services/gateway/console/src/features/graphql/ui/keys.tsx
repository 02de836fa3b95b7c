import { Keys as Listed } from "../../../ui/keys";

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
  ["Ctrl K", "Find an area, a table, a role or another object"],
];

/** Keys lists the keys of the page. */
export function Keys(props: { close: () => void }) {
  return <Listed close={props.close} keys={keys} />;
}
