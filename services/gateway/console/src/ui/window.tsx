import { createContext, use, type ReactNode } from "react";
import { Dialog, Heading } from "react-aria-components";
import { FormScope, leave, useEdited, useEdits } from "../lib/unsaved";
import { Overlay } from "./overlay";
import { Button } from "./button";

const Closing = createContext(() => {});

/**
 * Window is a dialog above the page. One with a form isn't closed by a press next to it; edited is whether the form has
 * what isn't saved, which is asked for before it goes.
 */
export function Window(props: {
  title: string;
  close: () => void;
  form?: boolean;
  /** At the side of the page, which stays in sight. */
  side?: boolean;
  edited?: boolean;
  children: ReactNode;
}) {
  const { title, close, form, side, edited = false, children } = props;
  const edits = useEdits();
  const closing = () => leave(edits, close);
  return (
    <Overlay close={closing} dismissable={!form} side={side}>
      <Dialog className="page">
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        <FormScope value={edits}>
          <Edited edited={edited} />
          <Closing value={closing}>{children}</Closing>
        </FormScope>
      </Dialog>
    </Overlay>
  );
}

function Edited(props: { edited: boolean }) {
  useEdited(`${props.edited}`, "false");
  return null;
}

/** Cancel closes the dialog that it is in. */
export function Cancel(props: { children?: string }) {
  return <Button onPress={use(Closing)}>{props.children ?? "Cancel"}</Button>;
}
