package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/joinoracle"
)

// joinedMetadata is what joinoracle's views see, as metadata. The source on the right is of a kind.
func joinedMetadata(t testing.TB, right string) string {
	t.Helper()
	permission := func(p object) []object { return []object{{"role": joinoracle.User, "permission": p}} }
	table := func(name, kind string, own []object, user object) object {
		return object{
			"name": name, "kind": kind, "configuration": object{"connection_info": object{"database_url": object{"from_env": name}}},
			"tables": []object{{
				"table": name, "array_relationships": own, "select_permissions": permission(user),
				"remote_relationships": joinsFrom("number", "word", joinoracle.Left, joinoracle.Right),
			}},
		}
	}
	peers := []object{{"name": "peers", "using": object{"manual_configuration": object{
		"remote_table": joinoracle.Left, "column_mapping": object{"number": "number"},
	}}}}
	of := func(name, left, right string) object {
		return object{"type_name": name, "relationships": joinsFrom("number", "word", left, right)}
	}
	document := object{
		"version": 3,
		"sources": []object{
			table(joinoracle.Left, "postgres", peers, object{
				"columns": []string{"id", "number"}, "filter": object{"id": object{"_lte": "X-Engine-Most"}}, "allow_aggregations": true,
			}),
			table(joinoracle.Right, right, nil, object{
				"columns": "*", "filter": object{"left_one": object{"word": object{"_is_null": false}}}, "limit": 4,
			}),
		},
		"remote_schemas": []object{
			{
				"name": joinoracle.Alpha,
				"definition": object{"url": "ALPHA", "customization": object{
					"type_names": object{"prefix": "Alpha"},
					"field_names": []object{
						{"parent_type": "Query", "prefix": "alpha_"}, {"parent_type": "Node", "mapping": object{"number": "amount"}},
					},
				}},
				"permissions":          []object{{"role": joinoracle.User, "definition": object{"schema": alphaForUser}}},
				"remote_relationships": []object{of("Node", joinoracle.Left, joinoracle.Right)},
			},
			{
				"name":        joinoracle.Beta,
				"definition":  object{"url": "BETA", "customization": object{"root_fields_namespace": "beta"}},
				"permissions": []object{{"role": joinoracle.User, "definition": object{"schema": betaForUser}}},
				"remote_relationships": []object{
					of("Even", joinoracle.Left, joinoracle.Right), of("Odd", joinoracle.Right, joinoracle.Left),
				},
			},
		},
		"custom_types": object{"objects": []object{{
			"name":   "Made",
			"fields": []object{{"name": "id", "type": "Int!"}, {"name": "number", "type": "Int"}, {"name": "word", "type": "String"}},
			"relationships": []object{
				{"name": "left_one", "type": "object", "source": joinoracle.Left, "remote_table": joinoracle.Left, "field_mapping": object{"number": "id"}},
				{"name": "left_many", "type": "array", "source": joinoracle.Left, "remote_table": joinoracle.Left, "field_mapping": object{"number": "number"}},
			},
		}}},
		"actions": []object{{
			"name": "make", "permissions": []object{{"role": joinoracle.User}},
			"definition": object{
				"type": "query", "handler": "MAKER", "output_type": "[Made!]!", "arguments": []object{{"name": "ids", "type": "[Int!]!"}},
			},
		}},
	}
	text, err := json.Marshal(document)
	require.NoError(t, err)
	return string(text)
}

// joinsFrom are the relationships of something with the fields number and word to everything
// else. left and right are where those of these names lead to.
func joinsFrom(number, word, left, right string) []object {
	var list []object
	for name, to := range map[string]string{"left": left, "right": right} {
		source := func(suffix, form string, mapping object) {
			list = append(list, object{"name": name + suffix, "definition": object{"to_source": object{
				"source": to, "table": to, "relationship_type": form, "field_mapping": mapping,
			}}})
		}
		source("_one", "object", object{number: "id"})
		source("_many", "array", object{number: "number"})
		source("_pairs", "array", object{number: "number", word: "word"})
	}
	remote := func(name, to string, field object, fields ...string) {
		list = append(list, object{"name": name, "definition": object{"to_remote_schema": object{
			"remote_schema": to, "lhs_fields": fields, "remote_field": field,
		}}})
	}
	call := func(name string, arguments object) object { return object{name: object{"arguments": arguments}} }
	n, w := "$"+number, "$"+word
	remote("alpha_one", joinoracle.Alpha, call("node", object{"id": n}), number)
	remote("alpha_many", joinoracle.Alpha, call("nodes", object{"number": n}), number)
	remote("alpha_found", joinoracle.Alpha, call("find", object{"where": object{"number": n}}), number)
	remote("alpha_pairs", joinoracle.Alpha, call("nodes", object{"word": w, "number": n}), word, number)
	remote("alpha_words", joinoracle.Alpha, call("nodes", object{"word": w}), word)
	remote("alpha_path", joinoracle.Alpha, object{"group": object{"arguments": object{"number": n}, "field": call("nodes", object{"word": w})}}, number, word)
	remote("beta_one", joinoracle.Beta, call("item", object{"id": n}), number)
	remote("beta_words", joinoracle.Beta, call("items", object{"word": w}), word)
	remote("beta_grid", joinoracle.Beta, call("grid", object{"number": n}), number)
	return list
}

// alphaForUser omits everything about words.
const alphaForUser = `
type Query {
	node(id: Int!): Node
	nodes(number: Int, least: Int, limit: Int @preset(value: 3)): [Node!]!
	find(where: Where!): [Node!]!
}
input Where { number: Int least: Int limit: Int @preset(value: 2) }
type Node { id: Int! number: Int next: Node peers(limit: Int): [Node!] }`

const betaForUser = `
interface Item { id: Int! number: Int word: String next: Item }
type Even implements Item { id: Int! number: Int word: String next: Item }
type Odd implements Item { id: Int! number: Int word: String next: Item }
type Query { item(id: Int!): Item items(number: Int, word: String, least: Int, limit: Int): [Item!]! }`
