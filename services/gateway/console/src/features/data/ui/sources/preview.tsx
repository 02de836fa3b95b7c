import { useQuery } from "@tanstack/react-query";
import { conventionOf, defaultRootFields, typeName } from "../../model/names";
import { configQuery } from "../../../metadata/api/queries";
import { display } from "../../model/tables";
import type { Customization, Source } from "../../../../lib/http/types";
import type { CustomProps } from "../../../../ui/forms/types";
import { useServer } from "../../../../lib/session";

/** shownTables bounds the tables whose names are shown. */
const shownTables = 5;

/** Preview shows what the first tables of a source are called in the schema. */
export function Preview(props: CustomProps & { source: Source }) {
  const config = useQuery(configQuery(useServer()));
  const source = { ...props.source, customization: props.value.customization as Customization | undefined };
  const { namespace, prefix = "", suffix = "" } = source.customization?.root_fields ?? {};
  const convention = conventionOf(config.data ?? undefined, source);
  const tables = (source.tables ?? []).slice(0, shownTables);
  if (tables.length === 0) return <p className="hint">Once tables are tracked, their names are shown here.</p>;
  const roots = (t: (typeof tables)[number]) => {
    const { select, select_by_pk, insert } = { ...defaultRootFields(t, t.configuration?.custom_name, convention) };
    return [select, select_by_pk, insert].map((f) => `${prefix}${f}${suffix}`).join(", ");
  };
  return (
    <section aria-label="What becomes of its names" className="form">
      <h4>What becomes of its names</h4>
      <ul className="changes" aria-label="GraphQL customization">
        {tables.map((t) => (
          <li key={display(t.table)}>
            {display(t.table)}: type <code>{typeName(source, t, convention)}</code>, fields{" "}
            <code>{namespace ? `${namespace} { ${roots(t)} }` : roots(t)}</code>
          </li>
        ))}
        {(source.tables ?? []).length > shownTables && (
          <li className="hint">{(source.tables ?? []).length - shownTables} more tables</li>
        )}
      </ul>
      <p className="hint">Names that tables give themselves for root fields stand in their place.</p>
    </section>
  );
}
