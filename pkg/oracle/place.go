package oracle

import "strings"

// placement is where a cluster has the rows of a table.
type placement string

const (
	local       placement = "" // on one server
	reference   placement = "reference"
	distributed placement = "distributed"
)

// layout places tables.
type layout struct {
	// places are what tables are placed as, the more frequent ones more than once.
	places []placement
	// apart has distributed tables on nodes of their own.
	apart bool
	// schema places all tables with the schema of the name.
	schema string
}

// Citus are the dialects of Citus, by the layouts of tables.
var Citus = map[string]*Dialect{
	"local":       citus(&layout{places: []placement{local}}, false),
	"reference":   citus(&layout{places: []placement{reference}}, false),
	"schema":      citus(&layout{places: []placement{local}, schema: "models"}, false),
	"tenants":     citus(&layout{places: []placement{distributed}}, true),
	"distributed": citus(&layout{places: []placement{distributed}}, false),
	"apart":       citus(&layout{places: []placement{distributed}, apart: true}, false),
	"mixed":       citus(&layout{places: []placement{local, reference, distributed, distributed}}, false),
}

func citus(l *layout, tenants bool) *Dialect {
	d := *PostgreSQL
	d.kind, d.layout, d.tenants, d.functions, d.parts, d.groups, d.inside = "citus", l, tenants, false, false, false, `"schema":"models"`
	return &d
}

// keyTo reports whether a table can have a foreign key to another one.
func (t *Table) keyTo(target *Table, tenants bool) bool {
	return t.place == target.place && (t.place != distributed || tenants) || t.place != reference && target.place == reference
}

// mayRelate reports whether the engine takes a relationship.
func (t *Table) mayRelate(target *Table, array bool) bool {
	switch t.place {
	case reference:
		return array || target.place != distributed
	case distributed:
		return target.place != local
	}
	return target.place != distributed
}

// placed is the SQL that places the tables of a model.
func (m *Model) placed() string {
	l := m.dialect.layout
	if l == nil {
		return ""
	}
	var b strings.Builder
	for _, t := range m.Tables {
		name := literalText(quote(t.Name))
		switch {
		case t.base != nil:
		case t.place == reference:
			b.WriteString("SELECT create_reference_table(" + name + ");\n")
		case t.place == distributed:
			column, with := "id", "default"
			if m.dialect.tenants {
				column = tenant
			}
			if l.apart {
				with = "none"
			}
			b.WriteString("SELECT create_distributed_table(" + name + ", '" + column + "', colocate_with => '" + with + "');\n")
		}
	}
	if l.schema != "" {
		b.WriteString("SELECT citus_schema_distribute('" + l.schema + "');\n")
	}
	return b.String()
}

// tenant is the column that says whose a row is.
const tenant = "tenant"
