import type { ReactNode } from "react";
import type { Name, Source } from "../../lib/http/types";
import type { Value } from "../../lib/json/path";

/** Field is a part of the arguments that a form has a control for. */
export interface Field {
  /** The keys to it, as in retry_conf.num_retries. */
  path: string;
  /** Other parts that its control edits. */
  others?: string[];
  label: string;
  /** The options of an object are JSON. */
  kind:
    | "text"
    | "number"
    | "flag"
    | "choice"
    | "object"
    | "headers"
    | "json"
    | "operation"
    | "long"
    | "list"
    | "mapping"
    | "custom";
  options?: { value: string; label: string }[];
  /** What a mapping maps, and the table that it maps to. */
  left?: string[];
  right?: { source: Source; table: Name };
  /** The control of a custom field, with its label. */
  control?: (props: CustomProps) => ReactNode;
  hint?: string;
  /** What is said of what it holds, in place of the hint. */
  about?: (part: unknown, value: Value) => ReactNode;
  /** Texts that it may be, among others. */
  suggestions?: string[];
  /** The part of the form that it is in, which is closed as long as none of its fields has a value. */
  section?: string;
  /** What is wrong with a text, undefined for nothing; the server isn't asked. */
  check?: (text: string) => string | undefined;
  required?: boolean;
  /** It is shown, but can't be changed. */
  fixed?: boolean;
}

/**
 * ControlProps are those of the control of a field. report says what is wrong with what was typed, undefined for
 * nothing.
 */
export interface ControlProps {
  field: Field;
  value: Value;
  fault: string | undefined;
  change: (part: unknown) => void;
  report: (problem: string | undefined) => void;
}

/** CustomProps are those of the control of a custom field, which may edit other parts of the form, too. */
export interface CustomProps extends ControlProps {
  put: (path: string, part: unknown) => void;
  /** What is wrong with the part at a path. */
  faultAt: (path: string) => string | undefined;
}
