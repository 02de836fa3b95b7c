package queryexecutor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeysOfOtherTypes: between sources, a key that the other column's type can't hold has no related rows,
// and neither has one that would have to be rounded or cut. The others have theirs.
func TestKeysOfOtherTypes(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/keys", Config{})
	for left, pairs := range map[string]map[string]string{
		"text": {
			"uuid": `6f96c2a1-0000-4000-8000-000000000001=1 6F96C2A1000040008000000000000001=1`,
			"int2": `7=1  7 =1 7.0=1`, "int4": `7=1  7 =1 7.0=1`, "int8": `7=1  7 =1 7.0=1 99999999999=2`,
			"float4": `7=1  7 =1 7.0=1 7.5=2 NaN=3`, "numeric": `7=1  7 =1 7.0=1 7.5=2 NaN=4`,
			"bool": `yes=1`, "date": `2024-01-02=1 2024-01-02T00:00:00+00:00=1`, "time": `10:00=1`,
			"timestamp":   `2024-01-02=1 2024-01-02T00:00:00+00:00=1`,
			"timestamptz": `2024-01-02=1 2024-01-02T00:00:00+00:00=1`,
			"interval":    `1 mon 2 days=1 P1M2D=1`,
			"money":       `7.5=1 $7.50=1 1,000.00=2`,
			"inet":        `10.0.0.1=1 10.0.0.0/8=2`, "cidr": `10.0.0.0/8=1`, "macaddr": `08-00-2b-01-02-03=1`,
			"ltree": `a.b=1`, "bit": `101=1`, "varbit": `101=1`, "bytea": `\\x61=1 a=1`, "oid": `7=1  7 =1 7.0=1`, "name": "happy=1 " + strings.Repeat("n", 63) + "=2", "varchar": ``, "jsonb": `happy=1`,
			"mood": `happy=1`, "list": ``, "text": `7=1 [7]=2`,
		},
		"int8": {
			"uuid": ``, "int2": `7=1`, "int4": `7=1`, "int8": `7=1 99999999999=2`, "float4": `7=1`, "numeric": `7=1`, "bool": `1=1`,
			"date": ``, "time": ``, "timestamp": ``, "timestamptz": ``, "mood": ``, "list": ``, "text": `7=1`,
		},
		"numeric": {
			"int2": `7=1 7.0=1`, "int4": `7=1 7.0=1`, "int8": `7=1 7.0=1`, "float4": `7=1 7.0=1 7.5=2 NaN=3`,
			"numeric": `7=1 7.0=1 7.5=2 1000000000000000000000000000000=3 NaN=4`, "bool": ``, "date": ``,
		},
		"float8": {
			"int2": `7=1`, "int4": `7=1`, "int8": `7=1`, "float4": `7=1 7.5=2 NaN=3`, "numeric": `7=1 7.5=2 NaN=4`, "date": ``,
		},
		"timestamptz": {
			"date":        `2024-01-02T00:00:00+00:00=1 infinity=2`,
			"timestamp":   `2024-01-02T00:00:00+00:00=1 2024-01-02T10:00:00+00:00=2`,
			"timestamptz": `2024-01-02T00:00:00+00:00=1 2024-01-02T10:00:00+00:00=2`,
			"time":        ``, "uuid": ``, "int4": ``,
		},
		"json": {
			"int4": `7=1 "7"=1`, "uuid": ``, "bool": `true=1`, "list": `[7]=1`, "text": `7=1 "7"=1 [7]=2`, "numeric": `7=1 "7"=1 7.5=2`, "mood": ``,
		},
	} {
		for _, right := range slices.Sorted(maps.Keys(pairs)) {
			r := fetch(t, e, "admin", fmt.Sprintf(`{ l_%s(order_by: {id: asc}) { v %s { id } } }`, left, right), "")
			var answered struct {
				Data map[string][]map[string]json.RawMessage `json:"data"`
			}
			require.NoError(t, json.Unmarshal(r.Bytes(), &answered), r)
			var found []string
			for _, row := range answered.Data["l_"+left] {
				if n := strings.TrimRight(strings.TrimLeft(string(row[right]), `[{"id":`), "}]"); n != "" && n != "null" {
					v := string(row["v"])
					if left != "json" {
						v = strings.Trim(v, `"`)
					}
					found = append(found, v+"="+n)
				}
			}
			assert.Equal(t, pairs[right], strings.Join(found, " "), "%s -> %s: %s", left, right, r)
		}
	}
}

// TestRulesOnKeysOfOtherTypes: the same holds where a rule takes values of another source.
func TestRulesOnKeysOfOtherTypes(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/keys", Config{})
	for table, want := range map[string]string{
		"uuid": `[{"id":1}]`, "int2": `[{"id":1}]`, "int8": `[{"id":1}, {"id":2}]`, "float4": `[{"id":1}, {"id":2}, {"id":3}]`,
		"bool": `[{"id":1}]`, "date": `[{"id":1}]`, "time": `[{"id":1}]`, "timestamp": `[{"id":1}]`, "timestamptz": `[{"id":1}]`, "interval": `[{"id":1}]`, "inet": `[{"id":1}, {"id":2}]`, "ltree": `[{"id":1}]`, "money": `[{"id":1}, {"id":2}]`, "mood": `[{"id":1}]`,
	} {
		r := fetch(t, e, "reader", `{ r_`+table+`(order_by: {id: asc}) { id } }`, "")
		require.Equal(t, `{"data":{"r_`+table+`":`+want+`}}`, r.String(), table)
	}
}
