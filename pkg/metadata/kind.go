package metadata

import "queryengine/pkg/apierror"

// Kind is what metadata has to know of a kind of sources: plain data, in one place. What is done
// with a source of the kind is the work of its backend.
type Kind struct {
	// Name is the kind in documents and messages.
	Name string
	// Prefixes begin the names of its commands; the first one is the kind's own.
	Prefixes []string
	// Display is the name in words, System the one that traces know the database by.
	Display, System string
	// Failure is the code of errors of its databases.
	Failure apierror.Code
	// Connector is set where data connectors, which the engine has none of, use the name of the kind too.
	// Their sources are kept as given.
	Connector bool
	abilities Capability
	// DefaultSchema is the schema of names that are given without one, and the one that the names of
	// GraphQL leave out; "" where names have no schema.
	DefaultSchema string
	// Datasets is set where what others call the schema of a name is its dataset.
	Datasets bool

	// What follows is added by the kind's backend.

	// Configuration makes an empty configuration of a source.
	Configuration func() Configuration

	// ChangesSchema reports whether the text of a run_sql may change what metadata refers to; nil
	// when it never does.
	ChangesSchema func(sql string) bool
}

// Capability is something that some kinds can do, or several things.
type Capability uint

// The capabilities. What isn't here every kind must have.
const (
	// Functions can be tracked.
	Functions Capability = 1 << iota
	// EnumTables are tables whose rows become values of an enum.
	EnumTables
	// EventTriggers write the changes of rows to a log.
	EventTriggers
	// ComputedFields are made of functions.
	ComputedFields
	// MappedArguments are arguments of the functions of computed fields that columns of the row are given to, by name.
	// Elsewhere such functions take the row.
	MappedArguments
	// ConnectionTemplates choose a connection for a request.
	ConnectionTemplates
	// StoredProcedures can be tracked.
	StoredProcedures
	// Trackables are listed for the console. PostgreSQL has the command, which refuses.
	Trackables
	// Mutations write rows.
	Mutations
	// Subscriptions are answered again and again, for many subscribers at once.
	Subscriptions
	// Relay schemas have global ids and pages.
	Relay
	// Inspection lists what the database of a source has.
	Inspection
	// Tags are comments in statements that say what they are for.
	Tags
	// Conventions are other conventions of names than that of the database.
	Conventions
	// Publications are changes of tables that are published.
	Publications
)

// Can reports whether the kind has all of some capabilities.
func (k *Kind) Can(c Capability) bool { return k.abilities&c == c }

// DefaultKind is the kind of sources that name none, and of commands without a prefix.
const DefaultKind = "postgres"

// kinds are all kinds, in the order of list_source_kinds.
var kinds = []*Kind{
	{
		Name: DefaultKind, Prefixes: []string{"pg", "postgres"}, Display: "Postgres", System: "postgresql", Failure: apierror.PostgresError,
		abilities: Functions | EnumTables | EventTriggers | ComputedFields | ConnectionTemplates | Trackables |
			Mutations | Subscriptions | Relay | Tags | Conventions | Publications,
		DefaultSchema: "public",
	},
	{
		Name: "citus", Prefixes: []string{"citus"}, Display: "Citus", System: "postgresql", Failure: apierror.PostgresError,
		abilities: Functions | ConnectionTemplates | Mutations | Subscriptions | Relay | Tags | Conventions, DefaultSchema: "public",
	},
	{
		Name: "cockroach", Prefixes: []string{"cockroach"}, Display: "Cockroach", System: "cockroachdb", Failure: apierror.PostgresError,
		abilities: EnumTables | ConnectionTemplates | Mutations | Subscriptions | Relay | Tags | Conventions, DefaultSchema: "public",
	},
	{
		Name: "mssql", Prefixes: []string{"mssql"}, Display: "MSSQL", System: "microsoft.sql_server", Failure: apierror.MSSQLError,
		abilities: EventTriggers | StoredProcedures | Mutations | Subscriptions | Tags, DefaultSchema: "dbo",
	},
	{
		Name: "bigquery", Prefixes: []string{"bigquery"}, Display: "BigQuery", System: "gcp.bigquery", Failure: apierror.BigQueryError,
		abilities: ComputedFields | MappedArguments | Inspection, Datasets: true,
	},
	{
		Name: "sqlite", Prefixes: []string{"sqlite"}, Display: "SQLite", System: "sqlite", Failure: apierror.SQLiteError, Connector: true,
		abilities: EnumTables | Mutations | Subscriptions | Relay | Tags | Conventions,
	},
}

// KnownKinds are all kinds that are known. They are shared and not to be changed.
func KnownKinds() []*Kind { return kinds }

// KindNamed is the kind that a document, or the prefix of a command, names; nil when it is unknown.
func KindNamed(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
		for _, prefix := range k.Prefixes {
			if prefix == name {
				return k
			}
		}
	}
	return nil
}

// RunSQL is the name of the command that runs statements in a source of the kind.
func (k *Kind) RunSQL() string { return k.Prefixes[0] + "_run_sql" }
