package schema

import "queryengine/pkg/resolve"

// A large schema has many more root fields than are ever used, so their descriptions and arguments are
// made on demand. The types below need no memory of their own: each is another view of something that
// exists anyway.

// doc gives the description of a field.
type doc interface{ describe() string }

type (
	// words are a constant description.
	words string
	// note is a description that the metadata or the database holds.
	note string
	// rootDoc describes a root field.
	rootDoc resolve.RootField
)

func (w words) describe() string { return string(w) }

func (n *note) describe() string { return string(*n) }

func (d *rootDoc) describe() string { return text((*resolve.RootField)(d).Description()) }

// comment is the description of a column, nil for none.
func comment(c *resolve.Column) doc {
	if c.Description == nil {
		return nil
	}
	return (*note)(c.Description)
}

// args gives the arguments of a field.
type args interface{ inputs() []Input }

type (
	// list are arguments that are made with the field.
	list []Input
	// rowArgs are the arguments of a field that lists rows of a table.
	rowArgs Table
	// keyArgs are the columns of a table's primary key.
	keyArgs Table
	// argsFunc makes the arguments of a field that few use.
	argsFunc func() []Input
)

func (l list) inputs() []Input { return l }

func (t *rowArgs) inputs() []Input { return (*Table)(t).rowArguments() }

func (t *keyArgs) inputs() []Input { return (*Table)(t).keyArguments() }

func (f argsFunc) inputs() []Input { return f() }
