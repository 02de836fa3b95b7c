package bigquerytest

import (
	"fmt"
	"net/http"
)

// routineType is an expression of a type of PostgreSQL, with its number in %s, as the API has it.
const routineType = `(SELECT CASE WHEN left(k.typname, 1) = '_' THEN json_build_object('typeKind', 'ARRAY', 'arrayElementType', named.it) ELSE named.it END
	FROM pg_type AS k, LATERAL (SELECT json_build_object('typeKind', CASE ltrim(k.typname, '_') WHEN 'text' THEN 'STRING' WHEN 'int8' THEN 'INT64'
		WHEN 'float8' THEN 'FLOAT64' WHEN 'timestamptz' THEN 'TIMESTAMP' WHEN 'timestamp' THEN 'DATETIME' WHEN 'bytea' THEN 'BYTES' WHEN 'jsonb' THEN 'JSON'
		ELSE upper(k.typname) END) AS it) AS named WHERE k.oid = %s)`

// routineSQL lists the functions of a schema that return sets. Functions that return rows of a table declare no columns.
var routineSQL = `WITH f AS (SELECT p.*, d.description, CASE WHEN p.proargmodes IS NULL THEN ARRAY(SELECT unnest(p.proargtypes)) ELSE p.proallargtypes END AS types
		FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace LEFT JOIN pg_description AS d ON d.objoid = p.oid
		WHERE n.nspname = $1 AND p.proretset)
	SELECT json_build_object('routines', coalesce(json_agg(json_strip_nulls(json_build_object(
		'routineReference', json_build_object('routineId', f.proname), 'routineType', 'TABLE_VALUED_FUNCTION', 'description', f.description,
		'arguments', (SELECT json_agg(json_build_object('name', f.proargnames[i], 'argumentKind', 'FIXED_TYPE', 'dataType', ` + fmt.Sprintf(routineType, "f.types[i]") + `) ORDER BY i)
			FROM generate_subscripts(f.types, 1) AS i WHERE coalesce(f.proargmodes[i], 'i') = 'i'),
		'returnTableType', (SELECT json_build_object('columns', json_agg(json_build_object('name', f.proargnames[i], 'type', ` + fmt.Sprintf(routineType, "f.types[i]") + `) ORDER BY i))
			FROM generate_subscripts(f.types, 1) AS i WHERE f.proargmodes[i] = 't' HAVING count(*) > 0)))), '[]')) FROM f`

// routines is routines.list, of table functions.
func (s *Server) routines(w http.ResponseWriter, r *http.Request) {
	if q := r.URL.Query(); q.Get("filter") != "routineType:TABLE_VALUED_FUNCTION" || q.Get("readMask") == "" {
		fail(w, http.StatusBadRequest, "invalid", "table functions are what is listed")
		return
	}
	s.list(w, r, routineSQL, r.PathValue("dataset"))
}
