/** Logo is the sign of the product; icon.svg is the same one for the tab of the browser. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect className="logo-back" width="32" height="32" rx="8" />
      <path className="logo-line" d="M9 10.5 16 6.5l7 4v8M9 10.5v8.6l7 4.4 2.6-1.6" />
      <circle className="logo-dot" cx="16" cy="14.6" r="2.6" />
      <path className="logo-line" d="m18 16.6 6.4 6.4" />
    </svg>
  );
}
