package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Dialect is what a model has to know of the kind of its database.
type Dialect struct {
	// kind and configuration are of the source in metadata.
	kind          string
	configuration object
	// definitions are the types of columns, where they aren't the names of the kinds.
	definitions map[Kind]string
	// kinds are those of columns, the more frequent ones more than once.
	kinds []Kind
	// scalars has the names of GraphQL types, where they aren't those of PostgreSQL.
	scalars *strings.Replacer
	// lacks are operators, arguments and aggregates that there aren't.
	lacks []string
	// functions reports whether there are functions: tracked ones and computed fields.
	functions bool
	// mapped reports whether computed fields are made of functions that take columns of the row, and return rows.
	mapped bool
	// inside is what the names of tables are in, as a member of JSON, where they have to have one.
	inside string
	// keyless reports whether the engine learns of no keys.
	keyless bool
	// countsOne reports whether counts take one column at most.
	countsOne bool
	// nullsLeast reports whether NULL comes before all values, unless an order says otherwise. It is behind them else.
	nullsLeast bool
	// numbersAsTexts reports whether numbers are texts in answers.
	numbersAsTexts bool
	collation      string
	literal        func(k Kind, v any) string
	// state selects all rows of a table as JSON.
	state func(t *Table) string
	// layout is where a cluster has the tables, tenants whether they have a column of that name in all keys. Other servers have neither.
	layout  *layout
	tenants bool
	// parts reports whether there are conditions on parts of JSON values, orders by them, and updates of them.
	parts bool
	// groups reports whether rows can be grouped.
	groups bool
	// maskExpressions reports whether masks may be expressions.
	maskExpressions bool
	// plainKeys reports whether foreign keys are checked at once, and unique columns take one NULL: neither can be declared otherwise.
	plainKeys bool
	// name spells a name of a table or column as the database keeps it, word a text that it can handle; nil for any.
	name, word func(string) string
}

// named is a text, or what f makes of it.
func named(text string, f func(string) string) string {
	if f == nil {
		return text
	}
	return f(text)
}

// PostgreSQL is the dialect of PostgreSQL.
var PostgreSQL = &Dialect{
	kind:            "postgres",
	configuration:   connection(object{{"database_url", object{{"from_env", "DATABASE"}}}}),
	kinds:           []Kind{Int, Int, Float, Text, Text, Bool, Texts, JSON},
	scalars:         strings.NewReplacer(),
	functions:       true,
	parts:           true,
	groups:          true,
	maskExpressions: true,
	collation:       ` COLLATE "C"`,
	literal:         literal,
	state: func(t *Table) string {
		return "SELECT json_build_object('data', coalesce(json_agg(to_jsonb(t)), '[]')) FROM " + quote(t.Name) + " AS t"
	},
}

// SQLite is the dialect of SQLite.
var SQLite = &Dialect{
	kind:          "sqlite",
	configuration: connection(object{{"database_url", object{{"from_env", "DATABASE"}}}, {"create", true}}),
	definitions:   map[Kind]string{Int: "INT", Float: "REAL", Text: "TEXT", Bool: "BOOLEAN", JSON: "JSON"},
	kinds:         []Kind{Int, Int, Float, Text, Text, Bool, JSON},
	scalars:       strings.NewReplacer("float8", "Float"),
	lacks:         []string{"_similar", "_nsimilar", "bool_and", "bool_or", "corr", "covar_samp"},
	literal:       plainLiteral,
	state: func(t *Table) string {
		var members []string
		for _, c := range t.Columns {
			value := quote(c.Name)
			switch c.Kind {
			case JSON:
				value = "json(" + value + ")"
			case Bool:
				value = "json(iif(" + value + " IS NULL, 'null', iif(" + value + ", 'true', 'false')))"
			}
			members = append(members, literalText(c.Name)+", "+value)
		}
		return "SELECT json_object('data', json_group_array(json_object(" + strings.Join(members, ", ") + "))) FROM " + quote(t.Name)
	},
}

func connection(info object) object { return object{{"connection_info", info}} }

// BigQuery is the dialect of BigQuery, for a server of bigquerytest whose address is in BIGQUERY_EMULATOR_HOST. What it
// runs statements on is PostgreSQL. Lists and JSON have no operators there.
var BigQuery = &Dialect{
	kind:          "bigquery",
	configuration: object{{"project_id", "demo"}, {"datasets", []string{"models"}}, {"retry_limit", 0}},
	definitions:   map[Kind]string{Int: "bigint"},
	kinds:         []Kind{Int, Int, Float, Text, Text, Bool},
	scalars:       strings.NewReplacer("float8", "Float"),
	lacks: []string{
		"_ilike", "_nilike", "_similar", "_nsimilar", "_regex", "_iregex", "_nregex", "_niregex", "bool_and", "bool_or", "corr", "covar_samp",
		"hash", "last4", "email", // what runs the statements doesn't know their functions
	},
	mapped:         true,
	inside:         `"dataset":"models"`,
	keyless:        true,
	nullsLeast:     true,
	numbersAsTexts: true,
	collation:      ` COLLATE "C"`,
	literal:        literal,
}

// SQLServer is the dialect of SQL Server, for a server of mssqltest. What it runs statements on is PostgreSQL.
var SQLServer = &Dialect{
	kind:          "mssql",
	configuration: connection(object{{"connection_string", object{{"from_env", "DATABASE"}}}}),
	kinds:         []Kind{Int, Int, Float, Text, Text, Bool},
	scalars:       strings.NewReplacer("float8", "Float"),
	lacks: []string{
		"_ilike", "_nilike", "_similar", "_nsimilar", "_regex", "_iregex", "_nregex", "_niregex", "bool_and", "bool_or", "corr", "covar_samp", "distinct_on",
		"hash", "last4", "email", // what runs the statements doesn't know their functions
	},
	countsOne:  true,
	nullsLeast: true,
	collation:  ` COLLATE "C"`,
	literal:    literal,
	state:      PostgreSQL.state,
}

// Babelfish is the dialect of SQL Server, for a server that runs its SQL.
var Babelfish = func() *Dialect {
	d := *SQLServer
	d.definitions = map[Kind]string{Int: "int", Float: "float", Text: "nvarchar(50)", Bool: "bit"}
	d.lacks = append(slices.Clone(d.lacks), "offset") // with FOR JSON
	d.lacks = slices.DeleteFunc(d.lacks, func(name string) bool { return name == "last4" || name == "email" })
	d.collation, d.literal, d.plainKeys = " COLLATE Latin1_General_BIN2", transactLiteral, true
	d.name, d.word = strings.ToLower, strings.NewReplacer(`\`, "", `"`, "").Replace
	d.state = func(t *Table) string { return "SELECT * FROM " + quote(t.Name) }
	return &d
}()

// transactLiteral spells a value in the SQL of SQL Server.
func transactLiteral(k Kind, v any) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{false: "0", true: "1"}[v]
	case string:
		return "N" + literalText(v)
	}
	return plainLiteral(k, v)
}

// has reports whether there is an operator or an aggregate.
func (d *Dialect) has(name string) bool { return !slices.Contains(d.lacks, name) }

// definition is the type of a column.
func (d *Dialect) definition(k Kind) string {
	if known := d.definitions[k]; known != "" {
		return known
	}
	return string(k)
}

func literalText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// plainLiteral spells a value without a type.
func plainLiteral(_ Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return literalText(v)
	case map[string]any:
		raw, _ := json.Marshal(v) // plain values always encode
		return literalText(string(raw))
	}
	return fmt.Sprint(v)
}
