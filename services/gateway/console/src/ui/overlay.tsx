import { useEffect, useState, type ReactNode } from "react";
import { Modal, ModalOverlay } from "react-aria-components";

/**
 * Overlay has a dialog above the page, and gives the focus back to what had it before. react-aria does so in the next
 * frame, which on a busy machine comes before the page can have the focus again: that is up to an effect, as this is,
 * and all effects are over before the frame that this one asks for.
 */
export function Overlay(props: { close: () => void; dismissable?: boolean; side?: boolean; children: ReactNode }) {
  const { close, dismissable = false, side, children } = props;
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
      });
    },
    [before],
  );
  return (
    <ModalOverlay
      className={side ? "overlay at-side" : "overlay"}
      isOpen
      isDismissable={dismissable}
      onOpenChange={close}
    >
      <Modal className="modal">{children}</Modal>
    </ModalOverlay>
  );
}
