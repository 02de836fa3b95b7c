import type { Wrong } from "../../model/rule";

/** Why shows what is wrong with just this part. */
export function Why(props: { wrong: Wrong | undefined }) {
  return props.wrong?.steps.length === 0 ? <span className="removed">{props.wrong.message}</span> : null;
}

/** Raw shows what has no controls, and why. */
export function Raw(props: { part: unknown; why?: string }) {
  return (
    <>
      <code>{JSON.stringify(props.part)}</code>
      {props.why && <span className="hint">{props.why}</span>}
    </>
  );
}
