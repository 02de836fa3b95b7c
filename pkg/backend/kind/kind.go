// Package kind lists the kinds of sources that the programs know. A new backend is one line
// here.
package kind

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/bigquery"
	"queryengine/pkg/backend/mssql"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/sqlite"
)

// All are all kinds. Addresses may name variables of env (os.LookupEnv); the connections of
// a source carry the name of the application where the database shows it.
func All(env func(string) (string, bool), application string) backend.Kinds {
	return backend.NewKinds(append(
		postgres.Kinds(env, application),
		sqlite.Kind(env),
		mssql.Kind(env, application),
		bigquery.Kind(env),
	)...)
}
