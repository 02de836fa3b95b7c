import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Around, leave, useEdits } from "../edits";

/** Window is a dialog above the page. One with a form isn't closed by a press next to it. */
export function Window(props: { title: string; close: () => void; form?: boolean; children: ReactNode }) {
  const { title, close, form, children } = props;
  const edits = useEdits();
  return (
    <ModalOverlay className="overlay" isOpen isDismissable={!form} onOpenChange={() => leave(edits, close)}>
      <Modal className="modal">
        <Dialog className="page">
          <Heading slot="title" level={2}>{title}</Heading>
          <Around value={edits}>{children}</Around>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
