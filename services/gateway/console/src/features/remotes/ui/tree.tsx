import { useState } from "react";
import { Input, Label, SearchField } from "react-aria-components";
import { membersOf, withMember, withoutMember, withoutType, withType, type Types } from "../model/part";

/** shownTypes bounds the types that are listed at once; the search narrows them. */
const shownTypes = 200;

/** Tree chooses a part of a schema: types, and what they consist of. What is chosen brings the types that it needs. */
export function Tree(props: { whole: Types; part: Types; roots: string[]; change: (part: Types) => void }) {
  const { whole, part, roots, change } = props;
  const [wanted, setWanted] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(roots));
  const text = wanted.toLowerCase();
  const matches = (name: string) => name.toLowerCase().includes(text);
  // Types that the remote has no more are shown as long as the role has them.
  const names = [...new Set([...roots.filter((r) => whole.has(r)), ...[...whole.keys()].sort(), ...part.keys()])];
  const found = names.filter(
    (n) => matches(n) || (text !== "" && membersOf((whole.get(n) ?? part.get(n))!).some((m) => matches(m.name))),
  );
  return (
    <div className="page">
      <SearchField value={wanted} onChange={setWanted}>
        <Label>Find a type or a field</Label>
        <Input />
      </SearchField>
      <ul className="types" aria-label="Types and fields">
        {found.slice(0, shownTypes).map((name) => {
          const members = membersOf((whole.get(name) ?? part.get(name))!);
          const has = new Set(part.has(name) ? membersOf(part.get(name)!).map((m) => m.name) : []);
          const listed = text === "" || matches(name) ? members : members.filter((m) => matches(m.name));
          const expanded = open.has(name) || (text !== "" && !matches(name));
          return (
            <li key={name}>
              <div className="row">
                <label className="inline">
                  <input
                    type="checkbox"
                    ref={(e) => {
                      if (e) e.indeterminate = part.has(name) && has.size < members.length;
                    }}
                    checked={part.has(name) && has.size >= members.length}
                    onChange={(e) =>
                      change(e.target.checked ? withType(part, whole, name) : withoutType(part, roots, name))
                    }
                  />{" "}
                  <strong>{name}</strong>
                </label>
                {members.length > 0 && (
                  <button
                    type="button"
                    className="link"
                    aria-expanded={expanded}
                    aria-label={`${has.size} of ${members.length} of ${name}`}
                    onClick={() =>
                      setOpen((now) =>
                        now.has(name) ? new Set([...now].filter((n) => n !== name)) : new Set([...now, name]),
                      )
                    }
                  >
                    {has.size} of {members.length}
                  </button>
                )}
                {!whole.has(name) && <span className="removed">the remote has no such type</span>}
              </div>
              {expanded && (
                <ul className="members">
                  {listed.map((m) => (
                    <li key={m.name}>
                      <label className="inline">
                        <input
                          type="checkbox"
                          aria-label={`${name}.${m.name} ${m.about}`.trim()}
                          checked={has.has(m.name)}
                          onChange={(e) =>
                            change(
                              e.target.checked
                                ? withMember(part, whole, name, m.name)
                                : withoutMember(part, roots, name, m.name),
                            )
                          }
                        />{" "}
                        {m.name} {m.about && <small className="hint">{m.about}</small>}
                      </label>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
      {found.length > shownTypes && <p className="hint">{found.length - shownTypes} more: type to narrow them</p>}
    </div>
  );
}
