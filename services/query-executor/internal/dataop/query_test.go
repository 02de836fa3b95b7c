package dataop_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, c := range []struct {
		who        *session.Session
		args, want string
	}{
		{admin, `{"table":"artist","columns":["id","name"],"order_by":"id"}`, `[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"},{"id":3,"name":"Cy"}]`},
		{admin, `{"table":{"schema":"public","name":"artist"},"columns":["*"],"where":{"id":1}}`, `[{"id":1,"name":"Ann","country":"be"}]`},
		{admin, `{"table":"album","columns":["id","label",{"name":"title","alias":"t"}],"where":{"id":1}}`, `[{"id":1,"label":"1: Blue","t":"Blue"}]`},
		{
			admin, `{"table":"artist","columns":["*.*"],"where":{"id":2}}`,
			`[{"id":2,"name":"Bob","country":"ch","albums":[{"id":3,"title":"Green","artist_id":2,"price":null,"tags":null,"released":"2021-05-06","stock":1}]}]`,
		},
		{
			admin, `{"table":"track","columns":["*.*.*"],"where":{"id":3}}`,
			`[{"id":3,"album_id":2,"title":"Three","seconds":120,"album":{"id":2,"title":"Red","artist_id":1,"price":12.00,"tags":[],"released":null,"stock":1,
				"artist":{"id":1,"name":"Ann","country":"be"},"tracks":[{"id":3,"album_id":2,"title":"Three","seconds":120}]}}]`,
		},
		{
			admin, `{"table":"album","columns":["id",{"name":"artist","alias":"by","columns":["name"]},{"name":"tracks","columns":["title"],"where":{"seconds":{"$gt":60}},"order_by":"-id","limit":5}],"order_by":["id"],"limit":2}`,
			`[{"id":1,"by":{"name":"Ann"},"tracks":[{"title":"Two"}]},{"id":2,"by":{"name":"Ann"},"tracks":[{"title":"Three"}]}]`,
		},
		{admin, `{"table":"album","columns":["id"],"order_by":["-artist.name","+id"],"limit":2,"offset":1}`, `[{"id":1},{"id":2}]`},
		{admin, `{"table":"album","columns":["id"],"order_by":{"column":"released","type":"desc"}}`, `[{"id":2},{"id":3},{"id":1}]`},
		{admin, `{"table":"album","columns":["id"],"order_by":{"column":"released","type":"desc","nulls":"last"}}`, `[{"id":3},{"id":1},{"id":2}]`},
		{admin, `{"table":"album","columns":["id"],"order_by":[{"column":"released","nulls":"first"}]}`, `[{"id":2},{"id":1},{"id":3}]`},
		{admin, `{"table":"album","columns":["id"],"where":{"$or":[{"price":{"$gte":10}},{"price":null}]},"order_by":"id"}`, `[{"id":2},{"id":3}]`},
		{admin, `{"table":"album","columns":["id"],"where":{"artist":{"name":{"$like":"A%"}},"$not":{"id":1}}}`, `[{"id":2}]`},
		{admin, `{"table":"artist","columns":["id"],"where":{"albums":{"tracks":{"seconds":{"_lt":70}}}}}`, `[{"id":1}]`},
		{admin, `{"table":"album","columns":["id"],"where":{"tags":{"$contains":{"live":true}}}}`, `[{"id":1}]`},
		{admin, `{"table":"album","columns":["id"],"where":{"id":{"$in":[1,3],"$ne":1}}}`, `[{"id":3}]`},
		{admin, `{"table":"album","columns":["id","id"],"where":{"id":99}}`, `[]`},
		{clerk, `{"table":"album","columns":["*","label"],"order_by":"-id"}`, `[{"id":2,"title":"Red","artist_id":1,"label":"2: Red"}]`},
		{
			clerk, `{"table":"album","columns":["*.*"],"where":{"id":1},"limit":7}`,
			`[{"id":1,"title":"Blue","artist_id":1,"tracks":[{"id":1,"album_id":1,"title":"One","seconds":60},{"id":2,"album_id":1,"title":"Two","seconds":90}]}]`,
		},
		{as("clerk", "x-engine-artist-id", "2"), `{"table":"track","columns":["id",{"name":"album","columns":["id"]}],"where":{"id":1}}`, `[{"id":1,"album":null}]`},
	} {
		got, err := s.run(t, c.who, op("select", c.args))
		require.NoError(t, err, c.args)
		require.JSONEq(t, c.want, got, c.args)
	}
}

func TestSelectErrors(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, c := range []struct {
		who                       *session.Session
		args, code, path, message string
	}{
		{as("nobody"), `{"table":"album","columns":["id"]}`, "permission-denied", "$.args.table", `select on "album" for role "nobody" is not allowed. `},
		{admin, `{"table":"album","columns":["id","nope"]}`, "permission-denied", "$.args.columns[1]", `no such column exists: "nope"`},
		{clerk, `{"table":"album","columns":["id","title","price"]}`, "permission-denied", "$.args.columns[2]", `role "clerk" does not have permission to select column "price"`},
		{
			clerk, `{"table":"album","columns":[{"name":"artist","columns":["id"]}]}`, "permission-denied", "$.args.columns[0]",
			`role "clerk" does not have permission to read relationship "artist"; no permission on table "artist"`,
		},
		{
			admin, `{"table":"album","columns":["artist"]}`, "unexpected-payload", "$.args.columns[0]",
			`expecting a database column; but, "artist" is a relationship; relationships have to be expanded`,
		},
		{
			admin, `{"table":"album","columns":[{"name":"title","columns":["id"]}]}`, "unexpected-payload", "$.args.columns[0]",
			`expecting a relationship; but, "title" is a database column; only relationships can be expanded`,
		},
		{admin, `{"table":"album","columns":[{"name":"nope","columns":["id"]}]}`, "not-exists", "$.args.columns[0]", `"nope" does not exist`},
		{
			admin, `{"table":"album","columns":[{"name":"artist","columns":["id"],"limit":1}]}`, "unexpected-payload", "$.args.columns[0]",
			`when selecting an 'obj_relationship' 'where', 'order_by', 'limit' and 'offset'  can't be used`,
		},
		{admin, `{"table":"album","columns":[{"name":"tracks","columns":["nope"]}]}`, "permission-denied", "$.args.columns[0].columns[0]", `no such column exists: "nope"`},
		{admin, `{"table":"album","columns":["id"],"limit":-1}`, "not-supported", "$.args.limit", "unexpected negative value"},
		{admin, `{"table":"album","columns":["id"],"offset":-1}`, "not-supported", "$.args.offset", "unexpected negative value"},
		{admin, `{"table":"album","columns":["id"],"order_by":["id","tracks.id"]}`, "unexpected-payload", "$.args.order_by[1]", `"tracks" is an array relationship and can't be used in 'order_by'`},
		{admin, `{"table":"album","columns":["id"],"order_by":"artist"}`, "unexpected-payload", "$.args.order_by[0]", `"artist" is an object relationship and should be expanded`},
		{admin, `{"table":"album","columns":["id"],"order_by":"nope.id"}`, "not-exists", "$.args.order_by[0]", `"nope" does not exist`},
		{clerk, `{"table":"album","columns":["id"],"order_by":"price"}`, "permission-denied", "$.args.order_by[0]", `role "clerk" does not have permission to select column "price"`},
		{
			clerk, `{"table":"album","columns":["id"],"order_by":"artist.name"}`, "permission-denied", "$.args.order_by[0]",
			`role "clerk" does not have permission to read relationship "artist"; no permission on table "artist"`,
		},
		{clerk, `{"table":"album","columns":["id"],"where":{"price":{"$gt":1}}}`, "permission-denied", "$.args.where.price", `role "clerk" does not have permission to select column "price"`},
		{admin, `{"table":"album","columns":["id"],"where":{"id":{"$foo":1}}}`, "unexpected-payload", `$.args.where.id["$foo"]`, "Unknown operator: $foo"},
		{admin, `{"table":"album","columns":["id"],"where":{"id":true}}`, "parse-failed", "$.args.where.id", "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean"},
		{admin, `{"table":"album","columns":["id"],"where":{"released":"yesterweek"}}`, "data-exception", "$.args", `invalid input syntax for type date: "yesterweek"`},
		{as("clerk"), `{"table":"album","columns":["id"]}`, "not-found", "$.args", `"x-engine-artist-id" header is expected but not found`},
	} {
		_, err := s.run(t, c.who, op("select", c.args))
		requireError(t, err, c.code, c.path, c.message, c.args)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, c := range []struct {
		who        *session.Session
		args, want string
	}{
		{admin, `{"table":"track"}`, `{"count":3}`},
		{admin, `{"table":"track","where":{"seconds":{"$gt":60}}}`, `{"count":2}`},
		{admin, `{"table":"track","distinct":["album_id"]}`, `{"count":2}`},
		{admin, `{"table":"track","limit":2}`, `{"count":2}`},
		{admin, `{"table":"track","limit":9}`, `{"count":3}`},
		{admin, `{"table":"track","distinct":["album_id"],"limit":1}`, `{"count":1}`},
		{trusted(clerk), `{"table":"album","limit":1}`, `{"count":1}`},
		{admin, `{"table":"album","distinct":["price","released"],"where":{"id":{"$gt":0}}}`, `{"count":3}`},
		{trusted(clerk), `{"table":"album"}`, `{"count":2}`},
	} {
		got, err := s.run(t, c.who, op("count", c.args))
		require.NoError(t, err, c.args)
		require.JSONEq(t, c.want, got, c.args)
	}
	_, err := s.run(t, as("nobody"), op("count", `{"table":"album"}`))
	requireError(t, err, "permission-denied", "$.args", `select on "album" for role "nobody" is not allowed. ; "count" is only allowed if the role has "select" permissions on the table`, "")
	_, err = s.run(t, admin, op("count", `{"table":"track","limit":-1}`))
	requireError(t, err, "not-supported", "$.args.limit", "unexpected negative value", "")
	_, err = s.run(t, trusted(clerk), op("count", `{"table":"album","distinct":["id","price"]}`))
	requireError(t, err, "permission-denied", "$.args.distinct[1]", `role "clerk" does not have permission to select column "price"`, "")
}
