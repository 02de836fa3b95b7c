package queryexecutor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/schema"
)

// northern is a rule on sales: they are of customers in the region of the session, which another
// source knows.
const northern = `{"customer":{"region":{"_eq":"X-Engine-Region"},"name":{"_ne":"Eve"}}}`

// permit gives a table permissions, as members of its metadata.
func permit(t *testing.T, e *Executor, source, table, permissions string) {
	t.Helper()
	next := *e.state.Load().snapshot
	document := *next.Document
	document.Sources = append([]*metadata.Source(nil), document.Sources...)
	found := false
	for i, s := range document.Sources {
		if s.Name != source {
			continue
		}
		changed := *s
		changed.Tables = append([]*metadata.Table(nil), s.Tables...)
		for n, old := range s.Tables {
			if old.Table.Name == table {
				m := *old
				require.NoError(t, json.Unmarshal([]byte(permissions), &m))
				changed.Tables[n], found = &m, true
			}
		}
		document.Sources[i] = &changed
	}
	require.True(t, found)
	next.Document, next.Version = &document, next.Version+1
	e.apply(&next)
}

func TestRulesOnRemoteRelationships(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	permit(t, e, "default", "sale", `{
		"select_permissions":[
			{"role":"keeper","permission":{"columns":["id"],"filter":`+northern+`}},
			{"role":"stranger","permission":{"columns":["id"],"filter":{"_not":`+northern+`}}},
			{"role":"nobody","permission":{"columns":["id"],"filter":{"customer":{"name":"Zoe"}}}}],
		"insert_permissions":[{"role":"keeper","permission":{"columns":["id","customer_id","amount"],"check":`+northern+`}}],
		"update_permissions":[{"role":"keeper","permission":{"columns":["amount"],"filter":`+northern+`,"check":null}}],
		"delete_permissions":[{"role":"keeper","permission":{"filter":`+northern+`}}]}`)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	c := count(t, e)
	ask := func(role, region, query string) string {
		s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role, "x-engine-region": region}}
		return string(answer(t, e, &request{session: s, text: query}))
	}
	for _, tt := range []struct{ role, region, query, want string }{
		{"keeper", "north", `{ sale(order_by: {id: asc}) { id } }`, `{"data":{"sale":[{"id":1},{"id":2},{"id":4},{"id":6}]}}`},
		{"keeper", "south", `{ sale { id } }`, `{"data":{"sale":[]}}`},
		{"keeper", `"\`, `{ sale { id } }`, `{"data":{"sale":[]}}`},
		{"stranger", "north", `{ sale { id } }`, `{"data":{"sale":[{"id":5}]}}`}, // and not 3, whose customer is NULL
		{"nobody", "north", `{ sale { id } }`, `{"data":{"sale":[]}}`},
		{"keeper", "north", `{ product { sales(order_by: {id: asc}) { id } } }`, `{"code":"validation-failed","error":"field 'product' not found in type: 'query_root'","path":"$.selectionSet.product"}`},
		{"keeper", "north", `mutation { update_sale(where: {}, _set: {amount: 7}) { affected_rows } }`, `{"data":{"update_sale":{"affected_rows":4}}}`},
		{"keeper", "north", `mutation { insert_sale_one(object: {id: 10, customerId: 3, amount: 1}) { id } }`, `{"data":{"insert_sale_one":{"id":10}}}`},
		{
			"keeper", "north", `mutation { insert_sale_one(object: {id: 11, customerId: 7, amount: 1}) { id } }`,
			`{"code":"permission-error","error":"check constraint of an insert/update permission has failed","path":"$.selectionSet.insert_sale_one.args.object"}`,
		},
		{"keeper", "north", `mutation { delete_sale(where: {id: {_in: [5, 10]}}) { returning { id } } }`, `{"data":{"delete_sale":{"returning":[{"id":10}]}}}`},
	} {
		require.JSONEq(t, tt.want, ask(tt.role, tt.region, tt.query), tt.query)
	}
	clear(c.ran)
	ask("keeper", "north", `{ a: sale { id } b: sale { id } }`)
	require.Equal(t, map[string]int{"crm": 1, "default": 2}, c.ran)
}

func TestRulesOnRemoteRelationshipsInDataOperations(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	permit(t, e, "default", "sale", `{
		"select_permissions":[{"role":"keeper","permission":{"columns":["id"],"filter":`+northern+`}}],
		"insert_permissions":[{"role":"keeper","permission":{"columns":["id","customer_id","amount"],"check":`+northern+`}}],
		"update_permissions":[{"role":"keeper","permission":{"columns":["amount"],"filter":`+northern+`,"check":null}}],
		"delete_permissions":[{"role":"keeper","permission":{"filter":`+northern+`}}]}`)
	run := func(operation, args string, variables ...string) (string, error) {
		s := &session.Session{Role: "keeper", Trusted: true, Variables: map[string]string{session.RoleHeader: "keeper"}}
		if len(variables) > 0 {
			s.Variables["x-engine-region"] = variables[0]
		}
		var w dataAnswer
		body := `{"type":"` + operation + `","args":` + args + `}`
		err := e.dataop.Execute(t.Context(), &queryv1.DataRequest{Session: s.Proto(), Body: []byte(body)}, &w)
		return w.String(), err
	}
	for _, tt := range []struct{ operation, args, region, want string }{
		{"select", `{"table":"sale","columns":["id"],"order_by":"id"}`, "north", `[{"id":1},{"id":2},{"id":4},{"id":6}]`},
		{"select", `{"table":"sale","columns":["id"]}`, "south", `[]`},
		{"count", `{"table":"sale"}`, "north", `{"count":4}`},
		{"update", `{"table":"sale","where":{},"$set":{"amount":7}}`, "north", `{"affected_rows":4}`},
		{"insert", `{"table":"sale","objects":[{"id":10,"customer_id":3,"amount":1}]}`, "north", `{"affected_rows":1}`},
		{"delete", `{"table":"sale","where":{"id":{"$in":[5,10]}}}`, "north", `{"affected_rows":1}`},
	} {
		got, err := run(tt.operation, tt.args, tt.region)
		require.NoError(t, err, tt.args)
		require.JSONEq(t, tt.want, got, tt.args)
	}
	_, err := run("insert", `{"table":"sale","objects":[{"id":11,"customer_id":7,"amount":1}]}`, "north")
	requireAPIError(t, err, "permission-error", "$.args", "check constraint of an insert/update permission has failed")
	_, err = run("count", `{"table":"sale"}`)
	requireAPIError(t, err, "not-found", "$.args", `"x-engine-region" header is expected but not found`)
}

// dataAnswer collects what a data operation writes.
type dataAnswer struct{ strings.Builder }

func (*dataAnswer) SetHead(proto.Message) {}

func TestWhatRefusesRulesOnRemoteRelationships(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	permit(t, e, "default", "sale", `{"select_permissions":[{"role":"keeper","permission":{"columns":["id"],"filter":`+northern+`}}]}`)
	keeper := &session.Session{Role: "keeper", Variables: map[string]string{"x-engine-region": "north"}}

	op, err := parse.Parse(`subscription { sale { id } }`, "", parse.Limits{})
	require.NoError(t, err)
	_, err = plan.Build(op, e.state.Load().role("keeper", schema.Options{}), nil, planenv.Options{Limits: planenv.DefaultLimits})
	require.Equal(t, apierror.New(apierror.NotSupported, "subscriptions on this field is not supported"), err)

	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(t.Context(), &request{session: keeper, text: `{ sale { id } }`}, s)
	require.NoError(t, err)
	_, err = r.plan.Explain(t.Context(), &s.run)
	require.Equal(t, apierror.New(apierror.InvalidParams, "queries with remote relationships cannot be explained"), err)

	// A change of the other table is seen by plans that are kept.
	permit(t, e, "crm", "customer", `{"configuration":{"custom_name":"client"}}`)
	require.JSONEq(t, `{"data":{"sale":[{"id":1},{"id":2},{"id":4},{"id":6}]}}`,
		string(answer(t, e, &request{session: keeper, text: `{ sale(order_by: {id: asc}) { id } }`})))
	next := *e.state.Load().snapshot
	next.Document, next.Version = withoutTable(next.Document, "crm", "customer"), next.Version+1
	e.apply(&next)
	require.JSONEq(t, `{"code":"not-exists","error":"table \"customer\" does not exist in source: crm","path":"$"}`,
		string(answer(t, e, &request{session: keeper, text: `{ sale(order_by: {id: asc}) { id } }`})))
}

func TestConditionsOnRemoteRelationships(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	for rule, want := range map[string]string{
		`{"customer":{"id":1,"nothing":1}}`:      `"nothing" does not exist`,
		`{"customer":{"visits":{}}}`:             `"visits" is not a column; conditions on remote relationships can only compare columns`,
		`{"customer":{"_or":[{"id":1}]}}`:        `"_or" is not a column; conditions on remote relationships can only compare columns`,
		`{"customer":[]}`:                        `parsing boolean expression failed, expected Object, but encountered Array`,
		`{"customer":{"id":{"_like":"a"}}}`:      ` is of type "integer"; this operator works only on columns of type "varchar", "text", "citext", "bpchar"`,
		`{"neighbours":{"id":1}}`:                `remote relationship "neighbours" can not be part of boolean expression: it maps several columns`,
		`{"_not":{"product":{"owner":{"x":1}}}}`: `"x" does not exist`,
	} {
		permit(t, e, "default", "sale", `{"select_permissions":[{"role":"keeper","permission":{"columns":["id"],"filter":`+rule+`}}]}`)
		problems := e.state.Load().schema.Inconsistencies()
		require.Len(t, problems, 1, rule)
		require.Equal(t, `Inconsistent object: in table "sale": in permission for role "keeper": `+want, problems[0].Reason)
		require.Equal(t, metadata.ObjectSelectPermission, problems[0].Type)
	}
}
