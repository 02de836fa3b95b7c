import type { ReactNode } from "react";
import { Button } from "./button";
import { icons } from "./icons";

/** Toasts is where toasts lie, above the page. */
export function Toasts(props: { children: ReactNode }) {
  return <div className="toasts">{props.children}</div>;
}

interface ToastProps {
  label: string;
  /** Another text has another one, and its whole time; undefined for none. */
  id: string | undefined;
  /** It doesn't go by itself. */
  stays?: boolean;
  close: () => void;
  children: ReactNode;
}

/** Toast says what was done. It goes by itself, unless the pointer or the focus is there. */
export function Toast(props: ToastProps) {
  const { label, id, stays, close, children } = props;
  return (
    <div className="toast" role="status" aria-label={label}>
      {id !== undefined && (
        <div
          key={id}
          className={stays ? "toast-body" : "toast-body passing"}
          onAnimationEnd={(e) => e.animationName === "passing" && close()}
        >
          {children}
          <Button look="quiet" small icon={icons.X} label="Dismiss" onPress={close} />
        </div>
      )}
    </div>
  );
}
