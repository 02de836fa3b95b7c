package dataop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// step is a request and its answer; steps are run one after the other.
type step struct {
	who                   *session.Session
	operation, args, want string
}

func (s *shop) steps(t *testing.T, steps []step) {
	t.Helper()
	for _, c := range steps {
		got, err := s.run(t, c.who, op(c.operation, c.args))
		require.NoError(t, err, c.args)
		require.JSONEq(t, c.want, got, c.args)
	}
}

// TestScaleOfNumbers: numeric values that a request writes with decimals have them in groups of four,
// in stored and in calculated values.
func TestScaleOfNumbers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, c := range []struct{ operation, args, want string }{
		{
			"insert", `{"table":"album","objects":[{"id":60,"price":15},{"id":61,"price":1.5},{"id":62,"price":"1.5"},{"id":63,"price":2.12345}],"returning":["price"]}`,
			`[{"price":15}, {"price":1.5000}, {"price":1.5}, {"price":2.12345000}]`,
		},
		{"update", `{"table":"album","where":{"id":60},"$mul":{"price":3.3},"returning":["price"]}`, `[{"price":49.5000}]`},
		{"update", `{"table":"album","where":{"id":60},"$inc":{"price":-1},"returning":["price"]}`, `[{"price":48.5000}]`},
		{"update", `{"table":"album","where":{"id":62},"$mul":{"price":2},"returning":["price"]}`, `[{"price":3.0}]`},
		{"update", `{"table":"album","where":{"id":60},"$set":{"price":12.25},"returning":["price"]}`, `[{"price":12.2500}]`},
	} {
		got, err := s.run(t, admin, op(c.operation, c.args))
		require.NoError(t, err, c.args)
		require.Contains(t, got, c.want, c.args)
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.steps(t, []step{
		{admin, "insert", `{"table":"artist","objects":[{"id":10,"name":"Di"}]}`, `{"affected_rows":1}`},
		{
			admin, "insert", `{"table":"artist","objects":[{"id":11,"name":"Ed"},{"name":"Flo","country":null,"id":12}],"returning":["id","country"]}`,
			`{"affected_rows":2,"returning":[{"id":11,"country":"nowhere"},{"id":12,"country":null}]}`,
		},
		{
			admin, "insert", `{"table":"album","objects":[{}],"returning":["*"]}`,
			`{"affected_rows":1,"returning":[{"id":4,"title":null,"artist_id":null,"price":null,"tags":null,"released":null,"stock":1}]}`,
		},
		{
			admin, "insert", `{"table":"album","objects":[{"id":50,"price":1.23456789012345678901,"tags":{"a":[1,"x'\"\\"]},"stock":"9007199254740993"}],"returning":"*"}`,
			`{"affected_rows":1,"returning":[{"id":50,"title":null,"artist_id":null,"price":1.23456789012345678901,"tags":{"a":[1,"x'\"\\"]},"released":null,"stock":9007199254740993}]}`,
		},
		{
			agent, "insert", `{"table":"album","objects":[{"title":"Grey","price":5}],"returning":["title","artist_id"]}`,
			`{"affected_rows":1,"returning":[{"title":"Grey","artist_id":2}]}`,
		},
		{as("writer"), "insert", `{"table":"album","objects":[{"title":"a"},{"title":"b"}]}`, `{"affected_rows":2}`},

		{
			admin, "insert", `{"table":"artist","objects":[{"id":1,"name":"Zoe"},{"id":20,"name":"Gus"}],"on_conflict":{"action":"ignore"},"returning":["id"]}`,
			`{"affected_rows":1,"returning":[{"id":20}]}`,
		},
		{
			admin, "insert", `{"table":"artist","objects":[{"id":1,"name":"Zoe"}],"on_conflict":{"action":"ignore","constraint_on":["id"]},"returning":["id"]}`,
			`{"affected_rows":0,"returning":[]}`,
		},
		{
			admin, "insert", `{"table":"artist","objects":[{"id":1,"name":"Zoe"}],"on_conflict":{"action":"update","constraint":"artist_pkey"},"returning":["name","country"]}`,
			`{"affected_rows":1,"returning":[{"name":"Zoe","country":"be"}]}`,
		},
		{
			admin, "insert", `{"table":"artist","objects":[{"id":1,"name":"Ann","country":"fr"}],"on_conflict":{"action":"update","constraint_on":["id"]},"returning":["name","country"]}`,
			`{"affected_rows":1,"returning":[{"name":"Ann","country":"fr"}]}`,
		},
		// The role's filter holds for the row that is updated, and its presets are written.
		{agent, "insert", `{"table":"album","objects":[{"id":1,"title":"Mine"}],"on_conflict":{"action":"update","constraint":"album_pkey"}}`, `{"affected_rows":0}`},
		{
			agent, "insert", `{"table":"album","objects":[{"id":3,"title":"Mine"}],"on_conflict":{"action":"update","constraint":"album_pkey"},"returning":["id","title","stock","artist_id"]}`,
			`{"affected_rows":1,"returning":[{"id":3,"title":"Mine","stock":7,"artist_id":2}]}`,
		},
	})
}

func TestInsertOfManyRows(t *testing.T) {
	t.Parallel()
	s := setup(t)
	objects := make([]string, 2000)
	for i := range objects {
		objects[i] = fmt.Sprintf(`{"id":%d,"name":"artist %d"}`, 1000+i, i)
	}
	s.steps(t, []step{
		{admin, "insert", `{"table":"artist","objects":[` + strings.Join(objects, ",") + `]}`, `{"affected_rows":2000}`},
		{admin, "count", `{"table":"artist"}`, `{"count":2003}`},
	})
}

func TestInsertErrors(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, c := range []struct {
		who                       *session.Session
		args, code, path, message string
	}{
		{clerk, `{"table":"album","objects":[{}]}`, "permission-denied", "$.args.table", `insert on "album" for role "clerk" is not allowed. `},
		{admin, `{"table":"album","objects":[]}`, "unexpected-payload", "$.args.objects", "objects should not be empty"},
		{admin, `{"table":"album","objects":[7]}`, "parse-failed", "$.args.objects[0]", "parsing Object failed, expected Object, but encountered Number"},
		{admin, `{"table":"album","objects":[{"title":"x"},{"nope":1}]}`, "permission-denied", "$.args.objects[1].nope", `no such column exists: "nope"`},
		{agent, `{"table":"album","objects":[{"released":null}]}`, "not-supported", "$.args.objects[0].released", `column "released" is not insertable for role "agent"`},
		{agent, `{"table":"album","objects":[{"artist_id":1}]}`, "not-supported", "$.args.objects[0].artist_id", `column "artist_id" is not insertable for role "agent"; its value is predefined in permission`},
		{admin, `{"table":"album","objects":[{"id":true}]}`, "parse-failed", "$.args.objects[0].id", "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean"},
		{agent, `{"table":"album","objects":[{"price":100}]}`, "permission-error", "$.args", "check constraint of an insert/update permission has failed"},
		{as("agent"), `{"table":"album","objects":[{"price":1}]}`, "not-found", "$.args", `"x-engine-artist-id" header is expected but not found`},
		{
			as("writer"), `{"table":"album","objects":[{"title":"x"}],"returning":["id"]}`, "permission-denied", "$.args",
			`select on "album" for role "writer" is not allowed. ; "returning" can only be used if the role has "select" permission on the table`,
		},
		{admin, `{"table":"artist","objects":[{"id":1}],"on_conflict":{"action":"update"},"returning":["nope","id"]}`, "permission-denied", "$.args.returning", `no such column exists: "nope"`},
		{admin, `{"table":"artist","objects":[{"id":1}],"on_conflict":{"action":"update"}}`, "unexpected-payload", "$.args.on_conflict", "Expecting 'constraint' or 'constraint_on' when the 'action' is 'update'"},
		{admin, `{"table":"artist","objects":[{"id":1}],"on_conflict":{"action":"update","constraint":"artist_pkey","constraint_on":["id"]}}`, "unexpected-payload", "$.args.on_conflict", "'constraint' and 'constraint_on' cannot be set at a time"},
		{admin, `{"table":"artist","objects":[{"id":1}],"on_conflict":{"action":"update","constraint":"nope"}}`, "unexpected", "$.args.on_conflict.constraint", `constraint "nope" for table "artist" does not exist`},
		{admin, `{"table":"artist","objects":[{"id":1}],"on_conflict":{"action":"ignore","constraint_on":["nope"]}}`, "not-exists", "$.args.on_conflict.constraint_on[0]", `"nope" does not exist`},
		{admin, `{"table":"artist","objects":[{"id":1}],"on_conflict":{"action":"ignore","constraint_on":["country"]}}`, "constraint-error", "$.args", "there is no unique or exclusion constraint on target column(s)"},
		{admin, `{"table":"artist","objects":[{"id":1,"name":"x"}]}`, "constraint-violation", "$.args", `Uniqueness violation. duplicate key value violates unique constraint "artist_pkey"`},
		{admin, `{"table":"artist","objects":[{"id":100}]}`, "constraint-violation", "$.args", `Not-NULL violation. null value in column "name" of relation "artist" violates not-null constraint`},
		{admin, `{"table":"album","objects":[{"artist_id":99}]}`, "constraint-violation", "$.args", `Foreign key violation. insert or update on table "album" violates foreign key constraint "album_artist_id_fkey"`},
		{admin, `{"table":"track","objects":[{"id":99,"seconds":0}]}`, "permission-error", "$.args", `Check constraint violation. new row for relation "track" violates check constraint "track_seconds_check"`},
	} {
		_, err := s.run(t, c.who, op("insert", c.args))
		requireError(t, err, c.code, c.path, c.message, c.args)
	}
	s.steps(t, []step{{admin, "count", `{"table":"album"}`, `{"count":3}`}, {admin, "count", `{"table":"artist"}`, `{"count":3}`}})
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.steps(t, []step{
		{
			admin, "update", `{"table":"album","where":{"id":1},"$set":{"title":"Blues","tags":null,"released":"2022-02-02"},"returning":["title","tags","released"]}`,
			`{"affected_rows":1,"returning":[{"title":"Blues","tags":null,"released":"2022-02-02"}]}`,
		},
		{admin, "update", `{"table":"album","where":{"artist":{"name":"Ann"}},"values":{"title":"x"}}`, `{"affected_rows":2}`},
		{
			admin, "update", `{"table":"album","where":{"id":1},"$inc":{"stock":4},"$mul":{"price":2},"$default":["artist_id"],"returning":["stock","price","artist_id"]}`,
			`{"affected_rows":1,"returning":[{"stock":5,"price":19.00,"artist_id":null}]}`,
		},
		{admin, "update", `{"table":"album","where":{},"$set":{"title":"all"}}`, `{"affected_rows":3}`},
		{agent, "update", `{"table":"album","where":{},"$set":{"title":"mine"},"returning":["id","stock"]}`, `{"affected_rows":1,"returning":[{"id":3,"stock":7}]}`},
		{agent, "update", `{"table":"album","where":{"id":3},"returning":["title"]}`, `{"affected_rows":1,"returning":[{"title":"mine"}]}`},
		{admin, "update", `{"table":"album","where":{"id":99},"$set":{"title":"none"},"returning":["id"]}`, `{"affected_rows":0,"returning":[]}`},
	})
	for _, c := range []struct {
		who                       *session.Session
		args, code, path, message string
	}{
		{clerk, `{"table":"album","where":{},"$set":{"title":"x"}}`, "permission-denied", "$.args.table", `update on "album" for role "clerk" is not allowed. `},
		{
			as("writer"), `{"table":"album","where":{},"$set":{"title":"x"}}`, "permission-denied", "$.args",
			`select on "album" for role "writer" is not allowed. ; "update" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`,
		},
		{admin, `{"table":"album","where":{}}`, "unexpected-payload", "$.args", "atleast one of $set, $inc, $mul has to be present"},
		{admin, `{"table":"album","where":{},"$set":{"nope":1}}`, "permission-denied", `$.args["$set"]`, `no such column exists: "nope"`},
		{agent, `{"table":"album","where":{},"$set":{"stock":1}}`, "not-supported", `$.args["$set"]`, `column "stock" is not updatable for role "agent"; its value is predefined in permission`},
		{agent, `{"table":"album","where":{},"$inc":{"artist_id":1}}`, "not-supported", `$.args["$inc"]`, `role "agent" does not have permission to update column "artist_id"`},
		{agent, `{"table":"album","where":{},"$default":["tags"]}`, "not-supported", `$.args["$default"]`, `role "agent" does not have permission to update column "tags"`},
		{admin, `{"table":"album","where":{},"$inc":{"stock":[]}}`, "parse-failed", `$.args["$inc"].stock`, "parsing Integer expected for input type: PGBigInt failed, expected Number, but encountered Array"},
		{agent, `{"table":"album","where":{},"$set":{"price":100}}`, "permission-error", "$.args", "check constraint of an insert/update permission has failed"},
	} {
		_, err := s.run(t, c.who, op("update", c.args))
		requireError(t, err, c.code, c.path, c.message, c.args)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.run(t, admin, op("delete", `{"table":"artist","where":{"id":1}}`))
	requireError(t, err, "constraint-violation", "$.args", `Foreign key violation. update or delete on table "artist" violates foreign key constraint "album_artist_id_fkey" on table "album"`, "")
	_, err = s.run(t, clerk, op("delete", `{"table":"album","where":{}}`))
	requireError(t, err, "permission-denied", "$.args.table", `delete on "album" for role "clerk" is not allowed. `, "")
	_, err = s.run(t, as("writer"), op("delete", `{"table":"album","where":{}}`))
	requireError(t, err, "permission-denied", "$.args",
		`select on "album" for role "writer" is not allowed. ; "delete" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`, "")
	s.steps(t, []step{
		{agent, "delete", `{"table":"album","where":{},"returning":["id","title"]}`, `{"affected_rows":1,"returning":[{"id":3,"title":"Green"}]}`},
		{admin, "delete", `{"table":"track","where":{"album":{"artist":{"name":"Ann"}}}}`, `{"affected_rows":3}`},
		{admin, "delete", `{"table":"album","where":{}}`, `{"affected_rows":2}`},
	})
}
