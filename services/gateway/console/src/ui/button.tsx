import { Button as Plain, type ButtonProps } from "react-aria-components";
import type { Ref } from "react";
import type { Icon } from "./icons";

/** Look is the weight of a button. A view has at most one primary button. */
export type Look = "primary" | "secondary" | "quiet" | "danger" | "link";

interface Props extends Omit<ButtonProps, "className"> {
  look?: Look;
  small?: boolean;
  /** The sign before the words, or in their place: then label is its name. */
  icon?: Icon;
  label?: string;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** looks are the classes of buttons; links that look like one use them, too. */
export const looks: Record<Look, string> = {
  primary: "button primary",
  secondary: "button",
  quiet: "button quiet",
  danger: "button danger",
  link: "link",
};

/**
 * Button is that of react-aria with a look, for what may become disabled. Browsers take the focus from a disabled
 * control and don't give it back, which leaves it to the body: Tab begins at the top of the page then. This one keeps
 * the focus, gets it back from a dialog that it has opened, and is only skipped by Tab.
 */
export function Button(props: Props) {
  const { look = "secondary", small, icon: Sign, label, className, children, ...rest } = props;
  const classes = [looks[look], small && "small", Sign && children === undefined && "icon-only", className];
  return (
    <Plain
      aria-label={label}
      {...rest}
      className={classes.filter(Boolean).join(" ")}
      render={(button, { isDisabled }) => (
        <button
          {...button}
          title={label}
          {...(isDisabled && { disabled: false, "aria-disabled": true, tabIndex: -1 })}
        />
      )}
    >
      {Sign ? (
        <>
          <Sign size={16} aria-hidden className="icon" />
          {children}
        </>
      ) : (
        children
      )}
    </Plain>
  );
}
