import { Button as Plain, type ButtonProps } from "react-aria-components";

/**
 * Button is that of react-aria, for what may become disabled. Browsers take the focus from a disabled control and don't
 * give it back, which leaves it to the body: Tab begins at the top of the page then. This one keeps the focus, gets it
 * back from a dialog that it has opened, and is only skipped by Tab.
 */
export function Button(props: ButtonProps) {
  return (
    <Plain
      {...props}
      render={(button, { isDisabled }) =>
        isDisabled ? <button {...button} disabled={false} aria-disabled tabIndex={-1} /> : <button {...button} />
      }
    />
  );
}
