import type { ReactNode } from "react";

/** Pre shows text as it is laid out. It scrolls, so it is reached by keys. */
export function Pre(props: { label?: string; className?: string; children: ReactNode }) {
  const { label, className, children } = props;
  return (
    <pre className={className} tabIndex={0} aria-label={label}>
      {children}
    </pre>
  );
}
