import { Fragment, useState, type ReactNode } from "react";
import { Button } from "react-aria-components";
import { ownChanges } from "../undo";

/**
 * Kept shows what is edited of the metadata. When that changes, it begins anew with what there is then, unless somebody has typed in it and the
 * change is another one's: then it stays as it is, and says so.
 */
export function Kept<T>(props: { value: T; children: (value: T) => ReactNode }) {
  const { value, children } = props;
  const text = JSON.stringify(value);
  const [kept, setKept] = useState({ text, value, own: ownChanges() });
  const [touched, setTouched] = useState(false);
  const begin = () => {
    setKept({ text, value, own: ownChanges() });
    setTouched(false);
  };
  const other = text !== kept.text;
  if (other && (!touched || ownChanges() !== kept.own)) begin();
  const touch = () => setTouched(true);
  return (
    <>
      {other && touched && (
        <p className="row" role="status">
          <span className="removed">Somebody has changed this since.</span>
          <Button className="button" onPress={begin}>Show what it is now</Button>
        </p>
      )}
      <div className="kept" onInput={touch} onClick={touch}>
        <Fragment key={kept.text}>{children(kept.value)}</Fragment>
      </div>
    </>
  );
}
