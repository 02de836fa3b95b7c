import { Fragment, useState, type ReactNode } from "react";
import { FormScope, useEdits } from "../../lib/unsaved";
import { Button } from "../button";

/**
 * Kept shows what is edited of the metadata. When that changes, it begins anew with what there is then, unless there
 * are unsaved edits: then it stays as it is, and says so.
 */
export function Kept<T>(props: { value: T; children: (value: T) => ReactNode }) {
  const { value, children } = props;
  const text = JSON.stringify(value);
  const edits = useEdits();
  const [kept, setKept] = useState({ text, value });
  const other = text !== kept.text;
  const stays = other && edits.unsaved;
  if (other && !stays) setKept({ text, value });
  return (
    <FormScope value={edits}>
      {stays && (
        <p className="row" role="status">
          <span className="removed">This has been changed since.</span>
          <Button
            onPress={() => {
              edits.reset();
              setKept({ text, value });
            }}
          >
            Show what it is now
          </Button>
        </p>
      )}
      <Fragment key={kept.text}>{children(kept.value)}</Fragment>
    </FormScope>
  );
}
