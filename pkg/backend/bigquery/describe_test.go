package bigquery

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

func TestDescription(t *testing.T) {
	t.Parallel()
	const path = "GET /datasets/hub/tables/visit"
	a, s := open(t, map[string][]response{
		path: {
			ok(`{"schema": {"fields": [
				{"name": "id", "type": "STRING", "mode": "REQUIRED", "maxLength": "8", "defaultValueExpression": "GENERATE_UUID()", "description": "as printed"},
				{"name": "at", "type": "TIMESTAMP"}, {"name": "price", "type": "NUMERIC", "precision": "6", "scale": "2"}, {"name": "tags", "type": "STRING", "mode": "REPEATED"}]},
			"timePartitioning": {"type": "DAY", "field": "at"}, "clustering": {"fields": ["price", "id"]},
			"tableConstraints": {"primaryKey": {"columns": ["id"]}, "foreignKeys": [
				{"name": "of_page", "referencedTable": {"projectId": "demo", "datasetId": "hub", "tableId": "page"}, "columnReferences": [{"referencingColumn": "tags", "referencedColumn": "tag"}, {"referencingColumn": "at", "referencedColumn": "at"}]},
				{"name": "elsewhere", "referencedTable": {"projectId": "other", "datasetId": "hub", "tableId": "page"}, "columnReferences": [{"referencingColumn": "id", "referencedColumn": "id"}]}]}}`),
			ok(`{"schema": {"fields": [{"name": "n", "type": "INTEGER"}]}, "rangePartitioning": {"field": "n", "range": {"start": "0", "end": "100", "interval": "10"}}}`),
			ok(`{"schema": {"fields": []}, "timePartitioning": {"type": "HOUR"}}`),
		},
		"POST /queries": {
			ok(`{"jobComplete": true, "jobReference": {"jobId": "j1", "location": "EU"}, "schema": {"fields": [{"name": "a", "type": "STRING"}, {"name": "b", "type": "STRING"}, {"name": "c", "type": "STRING"}, {"name": "d", "type": "STRING"}, {"name": "e", "type": "STRING"}]}, "rows": [
				{"f": [{"v": "search"}, {"v": "clustering"}, {"v": "ACTIVE"}, {"v": "CREATE SEARCH INDEX"}, {"v": "id"}]},
				{"f": [{"v": "search"}, {"v": "clustering"}, {"v": "ACTIVE"}, {"v": "CREATE SEARCH INDEX"}, {"v": "tags"}]},
				{"f": [{"v": "vector"}, {"v": "near"}, {"v": "PENDING DISABLEMENT"}, {"v": "CREATE VECTOR INDEX"}, {"v": "tags"}]}]}`),
			failure(http.StatusForbidden, "accessDenied"), failure(http.StatusUnauthorized, "authError"),
		},
	}, "")
	visit := catalog.Name{Schema: "hub", Name: "visit"}
	found, err := s.DescribeTable(t.Context(), visit)
	require.NoError(t, err)
	printed := "as printed"
	require.Equal(t, &catalog.Details{
		Columns: []catalog.ColumnDefinition{
			{Name: "id", Type: "STRING(8)", Default: "GENERATE_UUID()", Comment: &printed},
			{Name: "at", Type: "TIMESTAMP", Nullable: true},
			{Name: "price", Type: "NUMERIC(6, 2)", Nullable: true},
			{Name: "tags", Type: "ARRAY<STRING>", Nullable: true},
		},
		Constraints: []catalog.Definition{
			{Name: "primary key", Type: catalog.PrimaryKey, Columns: []string{"id"}, Text: "PRIMARY KEY (`id`) NOT ENFORCED"},
			{
				Name: "of_page", Type: catalog.ForeignKeyOf, Columns: []string{"tags", "at"}, Target: &catalog.Name{Schema: "hub", Name: "page"}, TargetColumns: []string{"tag", "at"},
				Text: "FOREIGN KEY (`tags`, `at`) REFERENCES `hub`.`page` (`tag`, `at`) NOT ENFORCED",
			},
			{
				Name: "elsewhere", Type: catalog.ForeignKeyOf, Columns: []string{"id"}, TargetColumns: []string{"id"},
				Text: "FOREIGN KEY (`id`) REFERENCES `other`.`hub`.`page` (`id`) NOT ENFORCED",
			},
		},
		Indexes: []catalog.Index{
			{Name: "partitioning", Method: "partitions by day", Columns: []string{"at"}},
			{Name: "clustering", Method: "clustering", Columns: []string{"price", "id"}},
			{Name: "clustering", Method: "search", Columns: []string{"id", "tags"}, Text: "CREATE SEARCH INDEX"},
			{Name: "near", Method: "vector", Columns: []string{"tags"}, Invalid: true, Text: "CREATE VECTOR INDEX"},
		},
	}, found)
	require.Contains(t, a.sent[0]["query"], "FROM `hub`.INFORMATION_SCHEMA.SEARCH_INDEXES AS i JOIN `hub`.INFORMATION_SCHEMA.SEARCH_INDEX_COLUMNS AS c")
	require.NotContains(t, a.sent[0]["query"], "visit", "names are parameters")

	// The indexes can't be read.
	found, err = s.DescribeTable(t.Context(), visit)
	require.NoError(t, err)
	require.Equal(t, "PARTITION BY RANGE_BUCKET(`n`, GENERATE_ARRAY(0, 100, 10))", found.Indexes[0].Text)
	require.Equal(t, "search and vector indexes can't be read: secret accessDenied", found.Missing)
	_, err = s.DescribeTable(t.Context(), visit)
	require.ErrorContains(t, err, "query execution failed")

	none, err := s.DescribeTable(t.Context(), catalog.Name{Schema: "hub", Name: "none"})
	require.NoError(t, err)
	require.Equal(t, &catalog.Details{}, none)
}
