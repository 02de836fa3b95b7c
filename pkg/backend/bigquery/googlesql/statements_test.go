package googlesql

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-googlesql"
)

// tables are used by the statements.
var tables = map[string]string{
	"author": "id INT64, name STRING",
	"article": "id INT64, title STRING, author_id INT64, created_at TIMESTAMP, is_published BOOL, place GEOGRAPHY, big BIGNUMERIC, n NUMERIC, " +
		"f FLOAT64, d DATE, t TIME, dt DATETIME, b BYTES, doc JSON, tags ARRAY<STRING>, seen ARRAY<TIMESTAMP>",
	"citation": "article_id INT64, cited_article_id INT64, description STRING",
}

// must is a result without its error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(err error) { must(0, err) }

// analyser analyses statements over the tables.
type analyser struct {
	language *googlesql.LanguageOptions
	factory  *googlesql.TypeFactory
	catalog  *googlesql.SimpleCatalog
	types    map[string]googlesql.Googlesql_TypeNode
}

func newAnalyser() *analyser {
	check(googlesql.Init())
	f := must(googlesql.NewTypeFactory())
	a := &analyser{
		language: must(googlesql.NewLanguageOptions()), factory: f, catalog: must(googlesql.NewSimpleCatalog("catalog", nil)),
		types: map[string]googlesql.Googlesql_TypeNode{
			"INT64": must(f.GetInt64()), "STRING": must(f.GetString()), "BOOL": must(f.GetBool()), "FLOAT64": must(f.GetDouble()),
			"NUMERIC": must(f.GetNumeric()), "BIGNUMERIC": must(f.GetBignumeric()), "DATE": must(f.GetDate()), "TIME": must(f.GetTime()),
			"DATETIME": must(f.GetDatetime()), "TIMESTAMP": must(f.GetTimestamp()), "BYTES": must(f.GetBytes()), "GEOGRAPHY": must(f.GetGeography()),
			"JSON": must(f.GetJson()),
		},
	}
	for _, name := range []string{"INT64", "STRING", "TIMESTAMP"} {
		a.types["ARRAY<"+name+">"] = must(f.MakeArrayType2(a.types[name]))
	}
	check(a.language.EnableMaximumLanguageFeatures())
	check(a.language.SetSupportsAllStatementKinds())
	check(a.catalog.AddBuiltinFunctionsAndTypes(&googlesql.BuiltinFunctionOptions{LanguageOptions: a.language}))
	dataset := must(a.catalog.MakeOwnedSimpleCatalog("hub"))
	written := must(googlesql.NewTVFRelation(a.columns(tables["article"])))
	check(dataset.AddOwnedTableValuedFunction(must(googlesql.NewFixedOutputSchemaTVF([]string{"hub", "written"},
		must(googlesql.NewFunctionSignature2(must(googlesql.NewFunctionArgumentTypeRelationWithSchema(written, false)), []*googlesql.FunctionArgumentType{
			must(googlesql.NewFunctionArgumentType3(a.types["INT64"], 1)), must(googlesql.NewFunctionArgumentType3(a.types["STRING"], 1)),
		}, 0, must(googlesql.NewFunctionSignatureOptions()))), written, &googlesql.TableValuedFunctionOptions{})).TableValuedFunction))
	for name, columns := range tables {
		table := must(googlesql.NewSimpleTable(name, 0))
		for column := range strings.SplitSeq(columns, ", ") {
			column, of, _ := strings.Cut(column, " ")
			check(table.AddColumn2(must(googlesql.NewSimpleColumn(name, column, a.types[of], false, true)), false))
		}
		check(dataset.AddTable(table))
	}
	return a
}

// columns belong to a relation.
func (a *analyser) columns(text string) []*googlesql.TVFSchemaColumn {
	var list []*googlesql.TVFSchemaColumn
	for column := range strings.SplitSeq(text, ", ") {
		column, of, _ := strings.Cut(column, " ")
		list = append(list, &googlesql.TVFSchemaColumn{Name: column, Type_: a.types[of]})
	}
	return list
}

// analyse analyses a statement with parameters: (p1 INT64, p2 STRING).
func (a *analyser) analyse(t *testing.T, parameters, text string) error {
	t.Helper()
	options := must(googlesql.NewAnalyzerOptions2())
	check(options.SetLanguage(a.language))
	for p := range strings.SplitSeq(strings.Trim(parameters, "()"), ", ") {
		name, of, given := strings.Cut(p, " ")
		if !given {
			continue
		}
		if a.types[of] == nil {
			t.Fatalf("a parameter of type %s", of)
		}
		check(options.AddQueryParameter(name, a.types[of]))
	}
	_, err := googlesql.AnalyzeStatement(text, options, a.catalog, a.factory)
	return err
}

// TestStatementsAreGoogleSQL analyses each statement of the golden file.
func TestStatementsAreGoogleSQL(t *testing.T) {
	a := newAnalyser()
	// The analyser has to find faults, of the kinds that rendering could make.
	for _, broken := range []string{
		"SELECT t0.`nothing` AS c0 FROM `hub`.`author` AS t0", "SELECT 1 AS c0 FROM `hub`.`missing`", "SELECT id + name AS c0 FROM `hub`.`author`",
		"SELECT id AS c0, COUNT(*) AS c1 FROM `hub`.`author`", "SELECT ARRAY_LENGTH() AS c0", "SELECT @p1 AS c0", "SELECT id AS c0 FROM `hub`.`author` WHERE name = 1",
		"SELECT t1.title AS c0 FROM `hub`.`author` AS t0 JOIN `hub`.`written`(t0.id) AS t1", "SELECT c0.nothing FROM `hub`.`written`(1, '') AS c0",
	} {
		if a.analyse(t, "()", broken) == nil {
			t.Errorf("taken, but broken: %s", broken)
		}
	}
	golden, err := os.ReadFile("../testdata/statements.sql")
	if err != nil {
		t.Fatal(err)
	}
	statements := strings.Split(strings.TrimSpace(string(golden)), ";\n\n")
	if len(statements) < 20 {
		t.Fatalf("%d statements are too few", len(statements))
	}
	for _, s := range statements {
		lines := strings.SplitN(s, "\n", 3)
		name, parameters := strings.TrimPrefix(lines[0], "-- "), strings.TrimPrefix(lines[1], "-- ")
		text := strings.TrimSuffix(strings.TrimSpace(lines[2]), ";")
		if err := a.analyse(t, parameters, text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
