import { rolesOf } from "../model/roles";
import type { MetadataDocument } from "../../../lib/http/types";
import type { Field } from "../../../ui/forms/types";
import { ObjectList } from "../../../ui/forms/list";

/** InheritedRoles are roles that are made of others. */
export function InheritedRoles(props: { document: MetadataDocument }) {
  const { document } = props;
  const set: Field = {
    path: "role_set",
    label: "Made of the roles",
    kind: "list",
    required: true,
    hint: `With commas between them. There are: ${rolesOf(document).join(", ")}.`,
  };
  return (
    <ObjectList
      label="Inherited roles"
      none="None: an inherited role may see what one of its roles sees, and write what all of them may write in the same way."
      items={(document.inherited_roles ?? []).map((r) => {
        const drop = { type: "drop_inherited_role", args: { role_name: r.role_name } };
        return {
          id: r.role_name,
          about: <span className="hint">{r.role_set.join(", ")}</span>,
          change: {
            initial: { ...r },
            fields: () => [set],
            request: (args) => ({ type: "bulk", args: [drop, { type: "add_inherited_role", args }] }),
          },
          drop,
        };
      })}
      add={[
        {
          title: "Add an inherited role",
          initial: {},
          fields: () => [{ path: "role_name", label: "Name", kind: "text", required: true }, set],
          request: (args) => ({ type: "add_inherited_role", args }),
        },
      ]}
    />
  );
}
