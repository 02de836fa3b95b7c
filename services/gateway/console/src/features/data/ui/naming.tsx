import { useId } from "react";
import { nameProblem } from "../model/names";
import type { ControlProps } from "../../../ui/forms/types";
import { at } from "../../../lib/json/path";

/** Nameable is something that can be given a name and a comment: its key in the metadata, and its name without one. */
export interface Nameable {
  key: string;
  about?: string;
  otherwise: string;
  /** Its comment without one. */
  comment?: string;
}

/** Naming is what something is given. */
export interface Naming {
  name?: string;
  comment?: string | null;
}

interface NamingsProps extends ControlProps {
  /** What the head of the first column says. */
  what: string;
  items: Nameable[];
  /** How a naming is written in the metadata. */
  read: (part: unknown) => Naming;
  write: (naming: Naming) => unknown;
}

/** Namings is a table of names and comments: one row for each thing that can be given them. */
export function Namings(props: NamingsProps) {
  const { field, value, fault, change, report, what, items, read, write } = props;
  const id = useId();
  const part = (at(value, field.path) ?? {}) as Record<string, unknown>;
  const whole = items.some((i) => faultAt(fault, i.key)) ? undefined : fault;
  const given = (key: string) => read(part[key]);
  const edit = (key: string, naming: Naming) => {
    const { [key]: _, ...others } = part;
    const changed = {
      ...others,
      ...((naming.name ?? naming.comment ?? undefined) !== undefined && { [key]: write(naming) }),
    };
    change(Object.keys(changed).length > 0 ? changed : undefined);
    const wrong = items.find((i) => (i.key === key ? problemOf(naming) : problemOf(given(i.key))));
    report(wrong && `${wrong.key}: ${problemOf(wrong.key === key ? naming : given(wrong.key))}`);
  };
  return (
    <fieldset className="field wide" aria-describedby={whole ? `${id}-fault` : undefined}>
      <legend>{field.label}</legend>
      {field.hint && <span className="hint">{field.hint}</span>}
      <div className="scroll" role="group" aria-label={`${field.label}, scrolling`} tabIndex={0}>
        <table className="namings">
          <thead>
            <tr>
              <th scope="col">{what}</th>
              <th scope="col">Name without one</th>
              <th scope="col">Name</th>
              <th scope="col">Comment</th>
            </tr>
          </thead>
          <tbody>
            {items.map((i, n) => {
              const naming = given(i.key);
              const problem = problemOf(naming) ?? faultAt(fault, i.key);
              return (
                <tr key={i.key}>
                  <th scope="row">
                    {i.key} {i.about && <small className="hint">{i.about}</small>}
                  </th>
                  <td>
                    {nameProblem(i.otherwise) ? (
                      <span className="removed">{i.otherwise} isn't a GraphQL name: it has no field</span>
                    ) : (
                      <code>{i.otherwise}</code>
                    )}
                  </td>
                  <td>
                    <input
                      type="text"
                      autoComplete="off"
                      aria-label={`Name of ${i.key}`}
                      aria-invalid={problem !== undefined || undefined}
                      aria-describedby={problem ? `${id}-${n}` : undefined}
                      value={naming.name ?? ""}
                      onChange={(e) => edit(i.key, { ...naming, name: e.target.value || undefined })}
                    />
                    {problem && (
                      <span className="removed" id={`${id}-${n}`}>
                        {problem}
                      </span>
                    )}
                  </td>
                  <td>
                    <input
                      type="text"
                      autoComplete="off"
                      aria-label={`Comment of ${i.key}`}
                      placeholder={i.comment}
                      value={naming.comment ?? ""}
                      onChange={(e) => edit(i.key, { ...naming, comment: e.target.value || undefined })}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {whole && (
        <span className="removed" id={`${id}-fault`}>
          {whole}
        </span>
      )}
    </fieldset>
  );
}

function problemOf(naming: Naming): string | undefined {
  return naming.name === undefined ? undefined : nameProblem(naming.name);
}

/** faultAt is what the server says about one of the rows. */
function faultAt(fault: string | undefined, key: string): string | undefined {
  return fault?.startsWith(`${key}.`) || fault?.startsWith(`${key}: `)
    ? fault.slice(fault.indexOf(": ") + 2)
    : undefined;
}
