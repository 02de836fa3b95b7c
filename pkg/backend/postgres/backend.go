// Package postgres is the PostgreSQL backend: it reads the catalog of a database, explains
// its types and operators, turns plans into statements, and runs them. Citus and CockroachDB are
// flavors of it.
//
// It and the packages in its directory are the only users of the driver: wire speaks to servers.
// Rows reach the answer's buffer as the bytes that the server sent, with one encoder per type and no
// Go value in between. Nothing above it sees a driver's type or a driver's error.
package postgres

// Dialect is the pure part of the backend: types, operators and rendering. It does not change.
type Dialect struct {
	kind string
	// flat dialects read what belongs to rows in the query that reads the rows. Their statements reach several nodes: what is written is
	// read again by its key.
	flat bool
	// columnTargets name the columns of a conflict instead of a constraint.
	columnTargets bool
	// plain dialects do without what only PostgreSQL has: record_send, xmax, WITH TIES, whole rows. What is written is read again by its
	// key there, too.
	plain bool
	// shares is set where short statements may share round trips.
	shares bool
	// ownEquality is set where users have defined what types of PostgreSQL are equal to.
	ownEquality bool
	// session is nil where requests set nothing.
	session *sessionSettings
}

// New returns the dialect of PostgreSQL itself.
func New() *Dialect { return postgres.dialect }

// KeyedWrites implements backend.KeyedWrites.
func (d *Dialect) KeyedWrites() bool { return d.flat || d.plain }

// Kind is the name of the backend in metadata.
func (d *Dialect) Kind() string { return d.kind }
