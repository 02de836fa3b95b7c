import { useState, type ReactNode } from "react";
import { FormScope, useEdits } from "../../lib/unsaved";
import { Button } from "../button";

interface StayingProps<T> {
  /** Which one it is, and what it is called. */
  id: string;
  name: string;
  value: T | undefined;
  /** gone is that nobody but the form has it any more. */
  children: (value: T, gone: boolean) => ReactNode;
  /** What becomes of the edits of one that is gone; saving them makes it anew, unless another text says it. */
  hint?: string;
  /** What is there without it. */
  otherwise?: ReactNode;
}

/**
 * Staying shows an object of the metadata. One that somebody deletes while it has unsaved edits stays, to be made anew
 * or let go.
 */
export function Staying<T>(props: StayingProps<T>) {
  const { id, name, value, children, hint = "save it to create it again", otherwise } = props;
  const edits = useEdits();
  const [last, setLast] = useState<{ id: string; value: T }>();
  if (value !== undefined && (last?.id !== id || last.value !== value)) setLast({ id, value });
  const gone = value === undefined && last?.id === id && edits.unsaved ? last.value : undefined;
  if (value === undefined && last && gone === undefined) setLast(undefined);
  const shown = value ?? gone;
  return (
    <FormScope value={edits}>
      {gone !== undefined && (
        <p className="row" role="status">
          <span className="removed">
            {name} was deleted by somebody. What you have typed is still here: {hint}.
          </span>
          <Button
            onPress={() => {
              edits.reset();
              setLast(undefined);
            }}
          >
            Discard it
          </Button>
        </p>
      )}
      {shown !== undefined ? children(shown, gone !== undefined) : otherwise}
    </FormScope>
  );
}
