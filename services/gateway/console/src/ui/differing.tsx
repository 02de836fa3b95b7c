import { useMemo } from "react";
import { linesOf } from "../lib/diff";
import { Pre } from "./pre";

/** Differing shows which lines of an object, as JSON, differ. */
export default function Differing(props: { before: unknown; after: unknown }) {
  const { before, after } = props;
  const lines = useMemo(
    () => linesOf(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2)),
    [before, after],
  );
  if (lines.every((l) => l.sign === " ")) return <p className="hint">What differs is hidden, as it may be secret.</p>;
  return (
    <Pre label="What differs">
      {lines.map((l, i) => (
        <span
          key={i}
          className={l.sign === "+" ? "added" : l.sign === "-" ? "removed" : l.sign === "…" ? "hint" : undefined}
        >{`${l.sign} ${l.text}\n`}</span>
      ))}
    </Pre>
  );
}
