/** Paused marks a trigger whose events wait on purpose. */
export function Paused() {
  return <span className="mark">paused</span>;
}
