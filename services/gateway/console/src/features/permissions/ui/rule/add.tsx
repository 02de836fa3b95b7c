import { memo, useMemo, useState } from "react";
import {
  Autocomplete,
  Collection,
  Dialog,
  DialogTrigger,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Popover,
  SearchField,
} from "react-aria-components";
import type { Scope } from "./scope";
import { Button } from "../../../../ui/button";

/** shownNames bounds how many names are listed at once; typing narrows them. */
const shownNames = 60;

interface AddProps {
  /** What the rule is called that gets the condition. */
  label: string;
  offered: Scope["offered"];
  /** What else there is besides names of the table. */
  more: string[];
  add: (name: string) => void;
}

/** AddCondition chooses what another condition is about, found by a part of its name. */
export function AddCondition(props: AddProps) {
  const { label, add } = props;
  const [open, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      <Button small aria-label={`${label}: add a condition`}>
        Add a condition…
      </Button>
      <Popover className="popover" placement="bottom start">
        <Dialog aria-label="Add a condition" className="offered">
          <Offered
            {...props}
            add={(name) => {
              add(name);
              setOpen(false);
            }}
          />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

const Offered = memo(function Offered(props: AddProps) {
  const { offered, more, add } = props;
  const [wanted, setWanted] = useState("");
  const sections = useMemo(() => {
    let left = shownNames;
    return [
      ...offered,
      ...(more.length > 0 ? [{ title: "Rules", names: more.map((name) => ({ name, about: meanings[name] })) }] : []),
    ].flatMap((s) => {
      const found = s.names.filter((n) => n.name.toLowerCase().includes(wanted.toLowerCase()));
      const names: { name: string; about?: string }[] = found.slice(0, s.title === "Rules" ? found.length : left);
      left -= names.length;
      return names.length > 0
        ? [
            {
              title:
                found.length > names.length
                  ? `${s.title}: ${names.length} of ${found.length}, type a part of the name`
                  : s.title,
              names,
            },
          ]
        : [];
    });
  }, [offered, more, wanted]);
  return (
    <Autocomplete inputValue={wanted} onInputChange={setWanted}>
      <SearchField autoFocus aria-label="Find what the condition is about">
        <Input placeholder="find…" />
      </SearchField>
      <Menu
        aria-label="What the condition is about"
        className="palette-list"
        items={sections}
        renderEmptyState={() => <p className="hint">Nothing has this name.</p>}
        onAction={(key) => add(String(key))}
      >
        {(s) => (
          <MenuSection id={`section ${s.title}`}>
            <Header>{s.title}</Header>
            <Collection items={s.names}>
              {(n) => (
                <MenuItem id={n.name} textValue={n.name}>
                  <span>{n.name}</span> <small>{n.about}</small>
                </MenuItem>
              )}
            </Collection>
          </MenuSection>
        )}
      </Menu>
    </Autocomplete>
  );
});

const meanings: Record<string, string> = {
  _and: "all of several rules hold",
  _or: "one of several rules holds",
  _not: "a rule doesn't hold",
  _exists: "there is a row, of any table",
};
