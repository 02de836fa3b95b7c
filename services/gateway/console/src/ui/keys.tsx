import { Window } from "./window";
import { Button } from "./button";

/** everywhere are the keys of all pages. */
const everywhere: [string, string][] = [
  ["Ctrl K", "Find an area, a table, a role, an action or another object"],
  ["?", "These keys, outside of fields"],
  ["Tab, Shift Tab", "Go to the next control, or to the one before"],
  ["Arrows, Home, End", "Move in tabs, lists, tables and matrices"],
  ["Enter, Space", "Open; choose a row"],
  ["Escape", "Close what is open"],
];

const inEditors: [string, string][] = [
  ["Ctrl Enter", "Run what the editor has"],
  ["Ctrl Space", "Complete"],
  ["Ctrl Z, Ctrl Y", "Undo, and do it again"],
  ["Ctrl /", "Make the line a comment, or no longer"],
  ["Escape, Tab", "Leave the editor"],
];

/** Keys lists keys; those of all pages, and of editors, unless a page has a list of its own. */
export function Keys(props: { close: () => void; keys?: [string, string][] }) {
  const { close, keys } = props;
  return (
    <Window title="Keys" close={close}>
      {keys ? (
        <List keys={keys} />
      ) : (
        <>
          <List keys={everywhere} />
          <h3>In editors</h3>
          <List keys={inEditors} />
        </>
      )}
      <p className="hint">On a Mac, Ctrl is ⌘.</p>
      <div className="row">
        <Button autoFocus onPress={close}>
          Close
        </Button>
      </div>
    </Window>
  );
}

function List(props: { keys: [string, string][] }) {
  return (
    <dl className="pairs">
      {props.keys.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
