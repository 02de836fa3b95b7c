package project

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const document = `{"version":3,"sources":[
	{"name":"shop","kind":"postgres","tables":[
		{"table":{"name":"b_c","schema":"a"}},
		{"table":{"name":"c","schema":"a_b"}},
		{"table":{"name":"odd/../name","schema":"public"}},
		{"table":{"name":"stock","schema":"public"},"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"z":{"_eq":"X-Engine-User-Id"},"a":{"_in":[1,2.50,1e3,null,true,"on","12","2015-01-02"]}}}}]}],
	 "functions":[{"function":{"name":"low","schema":"public"}}],
	 "configuration":{"connection_info":{"database_url":{"from_env":"URL"},"isolation_level":"read-committed"}}},
	{"name":"empty","kind":"postgres","tables":[],"configuration":{"connection_info":{"database_url":"x","isolation_level":"read-committed"}}}],
	"query_collections":[{"name":"app","definition":{"queries":[{"name":"q","query":"query {\n  a\n}\n"}]}}],
	"allowlist":[{"collection":"app","scope":{"global":true}}],
	"rest_endpoints":[{"comment":null,"definition":{"query":{"collection_name":"app","query_name":"q"}},"methods":["GET"],"name":"c","url":"a"}],
	"api_limits":{"disabled":true},
	"inherited_roles":[{"role_name":"lead","role_set":["auditor","clerk"]}],
	"actions":[
		{"name":"find","definition":{"handler":"http://h","output_type":"[Found!]!","arguments":[],"type":"query"}},
		{"name":"pay","definition":{"handler":"http://h","output_type":"Bill","kind":"synchronous","arguments":[{"name":"what","type":"Order!","description":"the \"order\""}],"type":"mutation"},"permissions":[{"role":"clerk"}],"comment":"c"}],
	"custom_types":{
		"input_objects":[{"name":"Order","fields":[{"name":"id","type":"Int!"}]}],
		"objects":[{"name":"Bill","description":"what is\nto be paid","fields":[{"name":"id","type":"Int!","description":"number"}],"relationships":[{"name":"stock","type":"object","remote_table":"stock","field_mapping":{"id":"id"}}]},
			{"name":"Found","fields":[{"name":"state","type":"State"}]}],
		"scalars":[{"name":"Money","description":"in cents"}],
		"enums":[{"name":"State","values":[{"value":"OPEN"},{"value":"GONE","description":"no more","is_deprecated":true}]}]}}`

func TestDocumentsSurviveTheDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Write(dir, json.RawMessage(document))
	require.NoError(t, err)
	read, err := Read(os.DirFS(dir))
	require.NoError(t, err)
	require.JSONEq(t, document, string(read))
	// The order of a filter's keys is part of it.
	require.Contains(t, string(read), `"filter":{"z":{"_eq":"X-Engine-User-Id"},"a":{"_in":[1,2.50,1e3,null,true,"on","12","2015-01-02"]}}`)

	for _, file := range []string{
		"version.yaml", "databases/databases.yaml", "databases/shop/tables/tables.yaml", "databases/shop/tables/public_stock.yaml",
		"databases/shop/tables/a_b_c_2.yaml", "databases/shop/tables/public_odd_.._name.yaml",
		"databases/shop/functions/functions.yaml", "databases/shop/functions/public_low.yaml",
		"actions.graphql", "actions.yaml", "allow_list.yaml", "network.yaml", "cron_triggers.yaml",
	} {
		require.FileExists(t, filepath.Join(dir, file))
	}
	text, err := os.ReadFile(filepath.Join(dir, "databases/databases.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), `tables: "!include shop/tables/tables.yaml"`)
	require.NotContains(t, string(text), "empty/functions")
}

func TestWritingTouchesOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Write(dir, json.RawMessage(document))
	require.NoError(t, err)
	same := filepath.Join(dir, "databases/shop/tables/public_stock.yaml")
	before, err := os.Stat(same)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "databases", "notes.txt"), []byte("mine"), 0o600))
	changed, err := Write(dir, json.RawMessage(`{"version":3,"sources":[{"name":"shop","kind":"postgres","tables":[
		{"table":{"name":"stock","schema":"public"},"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"z":{"_eq":"X-Engine-User-Id"},"a":{"_in":[1,2.50,1e3,null,true,"on","12","2015-01-02"]}}}}]}],
		"configuration":{}}]}`))
	require.NoError(t, err)
	require.Contains(t, changed, "databases/databases.yaml")
	require.Contains(t, changed, "databases/shop/tables/a_b_c.yaml", "it is gone")
	require.NotContains(t, changed, "databases/shop/tables/public_stock.yaml")
	after, err := os.Stat(same)
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime())
	require.NoFileExists(t, filepath.Join(dir, "databases/shop/tables/a_b_c.yaml"))
	require.NoDirExists(t, filepath.Join(dir, "databases/shop/functions"))
	require.FileExists(t, filepath.Join(dir, "databases", "notes.txt"))
	text, err := os.ReadFile(filepath.Join(dir, "actions.graphql"))
	require.NoError(t, err)
	require.Empty(t, text)
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestLayoutsThatOthersWrite(t *testing.T) {
	t.Parallel()
	read, err := Read(fstest.MapFS{
		"version.yaml":                               file("version: 3\n"),
		"databases/databases.yaml":                   file("- name: default\n  kind: postgres\n  configuration: &c {connection_info: {database_url: x}}\n  tables: !include default/tables/tables.yaml\n- name: other\n  configuration: *c\n  tables: []\n"),
		"databases/default/tables/tables.yaml":       file("- \"!include public_stock.yaml\"\n"),
		"databases/default/tables/public_stock.yaml": file("table:\n  name: stock\n  schema: public\nis_enum: true\n"),
		"remote_schemas.yaml":                        file("[]\n"),
		"metrics_config.yaml":                        file("{}\n"),
		"network.yaml":                               file(""),
		"actions.yaml":                               file("actions:\n- name: pay\n  definition:\n    handler: http://h\n"),
		"actions.graphql":                            file("extend type Mutation {\n  pay(id: Int!): Bill\n}\ntype Bill { id: Int! }\n"),
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"version":3,"sources":[
		{"name":"default","kind":"postgres","configuration":{"connection_info":{"database_url":"x"}},"tables":[{"table":{"name":"stock","schema":"public"},"is_enum":true}]},
		{"name":"other","configuration":{"connection_info":{"database_url":"x"}},"tables":[]}],
		"actions":[{"name":"pay","definition":{"handler":"http://h","output_type":"Bill","arguments":[{"name":"id","type":"Int!"}],"type":"mutation"}}],
		"custom_types":{"objects":[{"name":"Bill","fields":[{"name":"id","type":"Int!"}]}]}}`, string(read))

	read, err = Read(fstest.MapFS{
		"version.yaml": file("version: 2\n"), "tables.yaml": file("- table: stock\n"), "functions.yaml": file("[]\n"),
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"version":2,"tables":[{"table":"stock"}]}`, string(read))
}

func TestFaultsAreNamedWithTheirFile(t *testing.T) {
	t.Parallel()
	three := file("version: 3\n")
	for want, files := range map[string]fstest.MapFS{
		"this is not a metadata directory":                                                  {},
		"version.yaml: the version has to be 2 or 3":                                        {"version.yaml": file("version: 7\n")},
		"databases/databases.yaml: yaml":                                                    {"version.yaml": three, "databases/databases.yaml": file("- [\n")},
		"databases/databases.yaml: line 1 includes databases/gone.yaml, which is not there": {"version.yaml": three, "databases/databases.yaml": file("!include gone.yaml\n")},
		"files include each other":                                                          {"version.yaml": three, "databases/databases.yaml": file("!include databases.yaml\n")},
		"includes ../secret.yaml, which is not there":                                       {"version.yaml": three, "databases/databases.yaml": file("!include ../../secret.yaml\n")},
		`action "pay" is not in actions.graphql`:                                            {"version.yaml": three, "actions.yaml": file("actions:\n- name: pay\n  definition: {handler: x}\n")},
		`action "pay" of actions.graphql is not in actions.`:                                {"version.yaml": three, "actions.yaml": file("actions: []\n"), "actions.graphql": file("type Query { pay: Int }")},
		"actions.graphql: ":                                                                 {"version.yaml": three, "actions.yaml": file("actions: []\n"), "actions.graphql": file("type {")},
	} {
		_, err := Read(files)
		require.ErrorContains(t, err, want)
	}
}

// TestOddNamesOfSources: each has files of its own, and what is written is read back.
func TestOddNamesOfSources(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "metadata")
	var sources []string
	long := strings.Repeat("ü", 300)
	for _, name := range []string{".", "..", "_", "a/b", "a_b", long} {
		sources = append(sources, `{"name":"`+name+`","kind":"postgres","configuration":{},"tables":[{"table":{"name":"t","schema":"`+long+`"}},{"table":{"name":"of `+name+`","schema":"public"}}]}`)
	}
	document := `{"version":3,"sources":[` + strings.Join(sources, ",") + `]}`
	_, err := Write(dir, json.RawMessage(document))
	require.NoError(t, err)
	got, err := Read(os.DirFS(dir))
	require.NoError(t, err)
	require.JSONEq(t, document, string(got))

	for _, name := range []string{".", "..", "a/b", long} {
		_, err := CreateMigration(dir, Migration{Source: name, Version: 1, Name: "x"}, "", "")
		require.ErrorContains(t, err, "can't have SQL in a project")
		_, err = CreateSeed(dir, name, "x", 1, "")
		require.ErrorContains(t, err, "can't have SQL in a project")
	}
	_, err = CreateMigration(dir, Migration{Source: "shop", Version: 1, Name: long}, "", "")
	require.NoError(t, err)
}

func TestSettingsComeFromFlagsVariablesAndFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("config.yaml", "version: 3\nendpoint: http://file:1\nadmin_secret: from the file\nmetadata_directory: meta\n")
	write(".env", "# a comment\nexport ENGINE_GRAPHQL_ADMIN_SECRET=\"from .env\"\nENGINE_GRAPHQL_ENDPOINT=http://env:2\n")
	env := map[string]string{"ENGINE_GRAPHQL_ENDPOINT": "http://variable:3"}
	c, err := LoadConfig(dir, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	require.NoError(t, err)
	require.Equal(t, []string{"http://variable:3", "from .env", "meta", "migrations"},
		[]string{c.Endpoint, c.Secret(), c.MetadataDirectory, c.MigrationsDirectory})
	write("secret", "from a mounted file\n")
	env["ENGINE_GRAPHQL_ADMIN_SECRET_FILE"] = filepath.Join(dir, "secret")
	c, err = LoadConfig(dir, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	require.NoError(t, err)
	require.Equal(t, "from a mounted file", c.Secret())
	env["ENGINE_GRAPHQL_ADMIN_SECRET_FILE"] += "not"
	_, err = LoadConfig(dir, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	require.ErrorContains(t, err, "ENGINE_GRAPHQL_ADMIN_SECRET_FILE: open ")
	delete(env, "ENGINE_GRAPHQL_ADMIN_SECRET_FILE")
	require.Equal(t, "s1", (&Config{AdminSecrets: []string{"s1", "s2"}}).Secret())
	env["ENGINE_GRAPHQL_ADMIN_SECRETS"] = "no list"
	_, err = LoadConfig(dir, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	require.ErrorContains(t, err, "ENGINE_GRAPHQL_ADMIN_SECRETS")
}

func TestMigrationsAreFoundInBothLayouts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, m := range []Migration{{Source: "shop", Version: 20, Name: "second one"}, {Source: "shop", Version: 3, Name: "first"}} {
		_, err := CreateMigration(dir, m, "SELECT 1", "")
		require.NoError(t, err)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "7_old"), 0o755))
	found, err := Migrations(dir)
	require.NoError(t, err)
	require.Len(t, found["shop"], 2)
	require.Equal(t, "3_first", found["shop"][0].Dir())
	require.Equal(t, "20_second_one", found["shop"][1].Dir())
	require.Equal(t, "7_old", found["default"][0].Dir())
	require.Empty(t, found["default"][0].Up)

	_, err = CreateMigration(dir, Migration{Source: "shop", Version: 3, Name: "again"}, "", "")
	require.NoError(t, err)
	_, err = Migrations(dir)
	require.ErrorContains(t, err, "source shop has two migrations of version 3")
	found, err = Migrations(filepath.Join(dir, "none"))
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestFilesThatAreNotReadAreAnError(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, c := range map[string]struct {
		files fstest.MapFS
		fault string
	}{
		"tables of version 2 in version 3": {
			fstest.MapFS{"version.yaml": file("version: 3"), "tables.yaml": file("- table: {name: stock, schema: public}")},
			"tables.yaml is no file of a metadata directory of version 3",
		},
		"databases in a file": {
			fstest.MapFS{"version.yaml": file("version: 3"), "databases.yml": file("- name: shop")},
			"databases.yml is no file of a metadata directory of version 3",
		},
		"a file that says nothing": {
			fstest.MapFS{"version.yaml": file("version: 3"), "functions.yaml": file("[]"), "tables.yaml": file("")}, "",
		},
		"a file that another includes": {
			fstest.MapFS{"version.yaml": file("version: 3"), "remote_schemas.yaml": file("- !include charts.yaml"), "charts.yaml": file("name: charts")}, "",
		},
		"files of other kinds and directories": {
			fstest.MapFS{"version.yaml": file("version: 3"), "README.md": file("notes"), "notes/a.yaml": file("a: b")}, "",
		},
		"a project of version 2": {
			fstest.MapFS{"version.yaml": file("version: 2"), "tables.yaml": file("- table: stock"), "functions.yaml": file("[]")}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(c.files)
			if c.fault == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.fault)
		})
	}
}
