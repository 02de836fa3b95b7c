package jointest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// SQL creates the table of a place, in a kind of database.
func (w *World) SQL(place, kind string) (string, error) {
	raw, err := json.Marshal(w.Rows[place])
	rows := "'" + strings.ReplaceAll(string(raw), "'", "''") + "'"
	from := ` SELECT "ID", "Number", "Word" FROM json_to_recordset(` + rows + `) AS r("ID" int, "Number" int, "Word" text)`
	if kind == "sqlite" {
		from = " SELECT value ->> 'ID', value ->> 'Number', value ->> 'Word' FROM json_each(" + rows + ")"
	}
	return "CREATE TABLE " + place + " (id int PRIMARY KEY, number int, word text);\nINSERT INTO " + place + from, err
}

type object = map[string]any

// Metadata is what the roles see, as metadata. at are the addresses of the places; the source on the right is of a kind.
func (w *World) Metadata(right string, at map[string]string) ([]byte, error) {
	permission := func(p object) []object { return []object{{"role": User, "permission": p}} }
	table := func(name, kind string, own []object, user object) object {
		return object{
			"name": name, "kind": kind, "configuration": object{"connection_info": object{"database_url": at[name]}},
			"tables": []object{{
				"table": name, "array_relationships": own, "select_permissions": permission(user),
				"remote_relationships": joinsFrom("number", "word", Left, Right),
			}},
		}
	}
	peers := []object{{"name": "peers", "using": object{"manual_configuration": object{
		"remote_table": Left, "column_mapping": object{"number": "number"},
	}}}}
	of := func(name, left, right string) object {
		return object{"type_name": name, "relationships": joinsFrom("number", "word", left, right)}
	}
	document := object{
		"version": 3,
		"sources": []object{
			table(Left, "postgres", peers, object{
				"columns": w.leftColumns, "filter": object{"id": object{"_lte": "X-Engine-Most"}}, "allow_aggregations": w.aggregations,
			}),
			table(Right, right, nil, object{
				"columns": "*", "filter": object{"left_one": object{"word": object{"_is_null": false}}}, "limit": w.limit,
			}),
		},
		"remote_schemas": []object{
			{
				"name": Alpha,
				"definition": object{"url": at[Alpha], "customization": object{
					"type_names": object{"prefix": "Alpha"},
					"field_names": []object{
						{"parent_type": "Query", "prefix": "alpha_"}, {"parent_type": "Node", "mapping": object{"number": "amount"}},
					},
				}},
				"permissions":          []object{{"role": User, "definition": object{"schema": fmt.Sprintf(alphaForUser, w.preset, w.wherePreset)}}},
				"remote_relationships": []object{of("Node", Left, Right)},
			},
			{
				"name":        Beta,
				"definition":  object{"url": at[Beta], "customization": object{"root_fields_namespace": "beta"}},
				"permissions": []object{{"role": User, "definition": object{"schema": betaForUser}}},
				"remote_relationships": []object{
					of("Even", Left, Right), of("Odd", Right, Left),
				},
			},
		},
		"custom_types": object{"objects": []object{{
			"name":   "Made",
			"fields": []object{{"name": "id", "type": "Int!"}, {"name": "number", "type": "Int"}, {"name": "word", "type": "String"}},
			"relationships": []object{
				{"name": "left_one", "type": "object", "source": Left, "remote_table": Left, "field_mapping": object{"number": "id"}},
				{"name": "left_many", "type": "array", "source": Left, "remote_table": Left, "field_mapping": object{"number": "number"}},
			},
		}}},
		"actions": []object{{
			"name": "make", "permissions": []object{{"role": User}},
			"definition": object{
				"type": "query", "handler": at[Maker], "output_type": "[Made!]!", "arguments": []object{{"name": "ids", "type": "[Int!]!"}},
			},
		}},
	}
	return json.Marshal(document)
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
	remote("alpha_one", Alpha, call("node", object{"id": n}), number)
	remote("alpha_many", Alpha, call("nodes", object{"number": n}), number)
	remote("alpha_found", Alpha, call("find", object{"where": object{"number": n}}), number)
	remote("alpha_pairs", Alpha, call("nodes", object{"word": w, "number": n}), word, number)
	remote("alpha_words", Alpha, call("nodes", object{"word": w}), word)
	remote("alpha_path", Alpha, object{"group": object{"arguments": object{"number": n}, "field": call("nodes", object{"word": w})}}, number, word)
	remote("beta_one", Beta, call("item", object{"id": n}), number)
	remote("beta_words", Beta, call("items", object{"word": w}), word)
	remote("beta_grid", Beta, call("grid", object{"number": n}), number)
	return list
}

// alphaForUser omits everything about words.
const alphaForUser = `
type Query {
	node(id: Int!): Node
	nodes(number: Int, least: Int, limit: Int @preset(value: %d)): [Node!]!
	find(where: Where!): [Node!]!
}
input Where { number: Int least: Int limit: Int @preset(value: %d) }
type Node { id: Int! number: Int next: Node peers(limit: Int): [Node!] }`

const betaForUser = `
interface Item { id: Int! number: Int word: String next: Item }
type Even implements Item { id: Int! number: Int word: String next: Item }
type Odd implements Item { id: Int! number: Int word: String next: Item }
type Query { item(id: Int!): Item items(number: Int, word: String, least: Int, limit: Int): [Item!]! }`
