package doctor

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

func (c *checker) tables() {
	for _, m := range c.source.Tables {
		t := c.facts.table(m.Table)
		if t == nil {
			if m.LogicalModel == "" {
				c.add(Error, "table-missing", c.display(m.Table), "the database has no such table or view", "")
			}
			continue
		}
		c.rights(m, t)
		c.views(m, t)
		c.keys(t)
		c.columns(t)
		c.sequences(m, t)
		c.relationships(m, t)
		c.rules(m, t)
		if t.RowSecurity {
			c.add(Warning, "row-security", c.display(t.Name), fmt.Sprintf("policies of the database hold for %s, too: rows that they hide "+
				"are missing for all roles", c.facts.Server.User), fmt.Sprintf("ALTER ROLE %s BYPASSRLS", c.user()))
		}
	}
}

func (c *checker) rights(m *metadata.Table, t *Table) {
	object, user := c.display(t.Name), c.facts.Server.User
	if !t.Usage {
		c.add(Error, "schema-right", t.Name.Schema, user+" may not use the schema",
			fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", strings.SplitN(t.Identifier, ".", 2)[0], c.user()))
		return
	}
	for _, r := range []struct {
		name string
		has  bool
		// used reports whether a role or a trigger needs the right; without it only admin does.
		used, writable bool
	}{
		{"SELECT", t.Select, true, true},
		{"INSERT", t.Insert, len(m.InsertPermissions) > 0, t.Insertable},
		{"UPDATE", t.Update, len(m.UpdatePermissions) > 0, t.Updatable},
		{"DELETE", t.Delete, len(m.DeletePermissions) > 0, t.Deletable},
		{"TRIGGER", t.Trigger, len(m.EventTriggers) > 0, len(m.EventTriggers) > 0},
	} {
		severity, who := Error, "permissions need it"
		switch {
		case r.has, !r.writable:
			continue
		case r.name == "SELECT":
			who = "tracked tables need it"
		case r.name == "TRIGGER":
			who = "event triggers need it"
		case !r.used:
			severity, who = Info, "only mutations of admin need it"
		}
		c.add(severity, strings.ToLower(r.name)+"-right", object, fmt.Sprintf("%s has no %s on the table; %s", user, r.name, who),
			fmt.Sprintf("GRANT %s ON %s TO %s", r.name, t.Identifier, c.user()))
	}
}

// views finds permissions for what can't be written.
func (c *checker) views(m *metadata.Table, t *Table) {
	var not []string
	if len(m.InsertPermissions) > 0 && !t.Insertable {
		not = append(not, "insert")
	}
	if len(m.UpdatePermissions) > 0 && !t.Updatable {
		not = append(not, "update")
	}
	if len(m.DeletePermissions) > 0 && !t.Deletable {
		not = append(not, "delete")
	}
	if len(not) > 0 {
		c.add(Error, "not-updatable", c.display(t.Name), fmt.Sprintf("there are permissions to %s rows, which the %s doesn't allow",
			strings.Join(not, ", "), strings.ReplaceAll(string(t.Kind), "_", " ")), "Make the view simple, or add INSTEAD OF triggers")
	}
}

// keys finds what is missing for single rows, upserts and streams.
func (c *checker) keys(t *Table) {
	key := c.facts.Remedies.AddKey
	if key == nil {
		key = func(t *Table) string { return fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (...)", t.Identifier) }
	}
	if t.PrimaryKey == nil && (t.Kind == catalog.KindTable || t.Kind == catalog.KindPartitioned) {
		c.add(Warning, "no-primary-key", c.display(t.Name), "there is no primary key: no queries, updates and deletes by key, no "+
			"upserts without another unique constraint, no Relay ids, and event triggers and pages have no fixed order",
			key(t))
	}
	for _, i := range t.Indexes {
		object := c.display(t.Name) + "." + i.Name
		switch {
		case !i.Valid:
			c.add(Warning, "index-invalid", object, "the index is invalid, since building it failed: no query uses it",
				"REINDEX INDEX CONCURRENTLY "+i.Identifier)
		case i.Unique && i.Deferrable:
			c.add(Warning, "key-deferrable", object, "the constraint is deferrable: the database refuses upserts that name it",
				"Make the constraint NOT DEFERRABLE")
		case i.Unique && (i.Partial || i.Expressions):
			c.add(Info, "key-unnameable", object, "the unique index is of some rows or of expressions: upserts can't name it", "")
		}
	}
}

// columns finds columns whose types the engine doesn't know, or can't name.
func (c *checker) columns(t *Table) {
	for _, column := range t.Columns {
		object := c.display(t.Name) + "." + column.Name
		switch s := c.types.Scalar(column.Type); {
		case !s.Valid:
			c.add(Warning, "type-name", object, fmt.Sprintf("the type %q has no name that GraphQL allows: the column is left out",
				column.Type.Name), "")
		case s.Opaque && !column.Type.IsArray():
			c.add(Info, "type-text", object, fmt.Sprintf("the engine knows nothing of the type %s: values are texts, with "+
				"comparisons only as the database has them", s.SQL), "")
		}
	}
}

// nearLimit is the part of a sequence's values from which on it is reported.
const nearLimit = 0.8

func (c *checker) sequences(m *metadata.Table, t *Table) {
	for _, s := range t.Sequences {
		object := c.display(t.Name) + "." + s.Column
		if !s.Usable {
			severity := Info
			if len(m.InsertPermissions) > 0 {
				severity = Error
			}
			c.add(severity, "sequence-right", object, c.facts.Server.User+" may not draw values of the column's sequence: inserts fail", fmt.Sprintf("GRANT USAGE ON SEQUENCE %s TO %s", s.Identifier, c.user()))
		}
		if s.Last != nil && float64(*s.Last) > nearLimit*float64(s.Limit) {
			c.add(Warning, "sequence-limit", object, fmt.Sprintf("%d of %d values are used: inserts fail after the last one",
				*s.Last, s.Limit), fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE bigint", t.Identifier, s.Column))
		}
		if s.Highest != nil && (s.Last == nil || *s.Last < *s.Highest) {
			c.add(Warning, "sequence-behind", object, fmt.Sprintf("the column has values up to %d, which its sequence has not reached: "+
				"inserts will hit values that exist", *s.Highest),
				fmt.Sprintf("SELECT setval('%s', %d)", strings.ReplaceAll(s.Identifier, "'", "''"), *s.Highest))
		}
	}
}

// needIndex reports columns of a table that something finds rows by and that no index begins with.
func (c *checker) needIndex(severity Severity, code string, t *Table, columns []string, why string) {
	if t == nil || len(columns) == 0 || !t.stored() || t.index(columns) != nil {
		return
	}
	if t.small() {
		severity = Info
	}
	quoted := make([]string, len(columns))
	for i, column := range columns {
		quoted[i] = `"` + strings.ReplaceAll(column, `"`, `""`) + `"`
	}
	create := c.facts.Remedies.CreateIndex
	if create == nil {
		create = createIndex
	}
	c.add(severity, code, c.display(t.Name)+"."+strings.Join(columns, ","), why+", and no index has it first",
		create(t, strings.Join(quoted, ", ")))
}

func createIndex(t *Table, columns string) string {
	create := "CREATE INDEX CONCURRENTLY ON"
	if t.Kind == catalog.KindPartitioned {
		create = "CREATE INDEX ON" // the other form is refused there
	}
	return fmt.Sprintf("%s %s (%s)", create, t.Identifier, columns)
}

// sorted are the keys of a mapping and their values, in order.
func sorted(mapping map[string]string) (keys, values []string) {
	for key := range mapping {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		values = append(values, mapping[key])
	}
	return keys, values
}
