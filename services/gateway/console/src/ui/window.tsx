import { createContext, use, type ReactNode } from "react";
import { Button, Dialog, Heading } from "react-aria-components";
import { FormScope, leave, useEdited, useEdits } from "../lib/unsaved";
import { Overlay } from "./overlay";

const Closing = createContext(() => {});

/**
 * Window is a dialog above the page. One with a form isn't closed by a press next to it; edited is whether the form has
 * what isn't saved, which is asked for before it goes.
 */
export function Window(props: {
  title: string;
  close: () => void;
  form?: boolean;
  edited?: boolean;
  children: ReactNode;
}) {
  const { title, close, form, edited = false, children } = props;
  const edits = useEdits();
  const closing = () => leave(edits, close);
  return (
    <Overlay close={closing} dismissable={!form}>
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
  return (
    <Button className="button" onPress={use(Closing)}>
      {props.children ?? "Cancel"}
    </Button>
  );
}
