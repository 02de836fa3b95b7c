package backend_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

func TestKeyOf(t *testing.T) {
	t.Parallel()
	list := catalog.Type{Name: "int4", Dims: 1}
	mood := catalog.Type{Name: "mood", Schema: "public", Kind: catalog.TypeEnum, Labels: []string{"happy"}}
	named := func(name string) catalog.Type { return catalog.Type{Name: name} }
	for _, tt := range []struct {
		of          catalog.Type
		value, want string // "" for unchanged
	}{
		{named("int2"), `32767`, ``},
		{named("int2"), `32768`, `null`},
		{named("int4"), `-2147483648`, ``},
		{named("int4"), `2147483648`, `null`},
		{named("int4"), `"7"`, ``},
		{named("int4"), `7.0`, `"7"`},
		{named("int4"), `7e2`, `"700"`},
		{named("int4"), `" +07. "`, `"7"`},
		{named("int4"), `-0.0`, `"0"`},
		{named("int4"), `7.5`, `null`},
		{named("int4"), `1e999999999999`, `null`},
		{named("int4"), `"."`, `null`},
		{named("int4"), `"0x7"`, `null`},
		{named("int4"), `true`, `null`},
		{named("int4"), `[7]`, `null`},
		{named("int4"), `null`, ``},
		{named("int8"), `9223372036854775807`, ``},
		{named("int8"), `9223372036854775808`, `null`},
		{named("tinyint"), `-1`, `null`},
		{named("float4"), `1e38`, ``},
		{named("float4"), `1e39`, `null`},
		{named("float8"), `1e39`, ``},
		{named("float8"), `1e-400`, `null`},
		{named("float8"), `0e-400`, ``},
		{named("float8"), `"Infinity"`, ``},
		{named("float8"), `"0x1p4"`, `null`},
		{named("numeric"), `1e-400`, ``},
		{named("numeric"), `1e99999`, `null`},
		{named("numeric"), `"NaN"`, ``},
		{named("numeric"), `"x"`, `null`},
		{named("bool"), `true`, ``},
		{named("bool"), `"YES "`, `"true"`},
		{named("bool"), `"o"`, `null`},
		{named("bool"), `2`, `null`},
		{named("uuid"), `"6F96C2A1-0000-4000-8000-000000000001"`, `"6f96c2a1-0000-4000-8000-000000000001"`},
		{named("uuid"), `"6f96"`, `null`},
		{named("date"), `"2024-02-29"`, ``},
		{named("date"), `"2023-02-29"`, `null`},
		{named("date"), `"0001-02-29 BC"`, ``},
		{named("date"), `"2024-02-29T00:00:00.000+02:00"`, `"2024-02-29"`},
		{named("date"), `"2024-02-29T00:00:00.001Z"`, `null`},
		{named("date"), `"today"`, `null`},
		{named("date"), `"-infinity"`, ``},
		{named("timestamptz"), `"2024-02-29 10:00:00.123456+02"`, ``},
		{named("timestamptz"), `"2024-02-29 10:00:00.1234567"`, `null`},
		{named("timestamptz"), `"2024-02-29 24:00"`, ``},
		{named("timestamptz"), `"2024-02-29 24:01"`, `null`},
		{named("timestamp"), `"400000-01-01"`, `null`},
		{named("time"), `"10:00:00"`, ``},
		{named("time"), `"2024-02-29T10:00:00"`, `null`},
		{mood, `"happy"`, ``},
		{mood, `"sad"`, `null`},
		{list, `[7, null, "8"]`, `[7,null,"8"]`},
		{list, `[[7.0]]`, `[["7"]]`},
		{list, `[7.5]`, `null`},
		{list, `"{7}"`, `null`},
		{named("text"), `"x"`, ``},
		{named("text"), `"a\u0000"`, `null`},
		{named("jsonb"), `{"a": 1}`, ``},
		{named("jsonb"), `["a\u0000"]`, `null`},
		{named("inet"), `"x"`, `null`},
		{named("inet"), `"::1/64"`, ``},
		{named("inet"), `"fe80::1%eth0"`, `null`},
		{named("cidr"), `"10.0.0.0/8"`, ``},
		{named("cidr"), `"10.0.0.1/8"`, `null`},
		{named("macaddr8"), `"08:00:2b:01:02:03"`, `null`},
		{named("interval"), `"1 year 2 mons -3 days +04:05:06.789"`, ``},
		{named("interval"), `"P1Y2M3DT4H5M6.7S"`, ``},
		{named("interval"), `"00:00:00.0000001"`, `null`},
		{named("interval"), `"P1.5Y"`, `null`},
		{named("interval"), `"P"`, `null`},
		{named("interval"), `""`, `null`},
		{named("interval"), `"1 fortnight"`, `null`},
		{named("money"), `7.50`, ``},
		{named("money"), `"-$1,000.50"`, ``},
		{named("money"), `"7.501"`, `null`},
		{named("ltree"), `"a.b_c.1"`, ``},
		{named("ltree"), `"a-b"`, `null`},
		{named("ltree"), `"a..b"`, `null`},
		{named("varbit"), `"012"`, `null`},
		{named("bytea"), `"\\x0"`, `null`},
		{named("oid"), `4294967296`, `null`},
		{named("name"), `"` + strings.Repeat("x", 64) + `"`, `null`},
		{named("tsrange"), `"x"`, ``},
	} {
		want := tt.want
		if want == "" {
			want = tt.value
		}
		require.Equal(t, want, string(backend.KeyOf(tt.of, 150_000).JSON([]byte(tt.value))), "%s: %s", tt.of.Name, tt.value)
	}
}
