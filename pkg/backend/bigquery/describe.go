package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
)

// tableResource is a table as tables.get has it.
type tableResource struct {
	Schema struct {
		Fields []describedField `json:"fields"`
	} `json:"schema"`
	// Rows counts rows outside of the streaming buffer.
	Rows             string `json:"numRows"`
	TimePartitioning *struct {
		Type  string `json:"type"`
		Field string `json:"field"`
	} `json:"timePartitioning"`
	RangePartitioning *struct {
		Field string `json:"field"`
		Range struct {
			Start    string `json:"start"`
			End      string `json:"end"`
			Interval string `json:"interval"`
		} `json:"range"`
	} `json:"rangePartitioning"`
	Clustering *struct {
		Fields []string `json:"fields"`
	} `json:"clustering"`
	Constraints struct {
		PrimaryKey *struct {
			Columns []string `json:"columns"`
		} `json:"primaryKey"`
		ForeignKeys []struct {
			Name   string `json:"name"`
			Target struct {
				ProjectID string `json:"projectId"`
				DatasetID string `json:"datasetId"`
				TableID   string `json:"tableId"`
			} `json:"referencedTable"`
			Columns []struct {
				Referencing string `json:"referencingColumn"`
				Referenced  string `json:"referencedColumn"`
			} `json:"columnReferences"`
		} `json:"foreignKeys"`
	} `json:"tableConstraints"`
}

// describedField is a column with what the catalog leaves out of it.
type describedField struct {
	tableField
	Default   string `json:"defaultValueExpression"`
	MaxLength string `json:"maxLength"`
	Precision string `json:"precision"`
	Scale     string `json:"scale"`
}

// DescribeTable implements backend.TableDescriber. How the table is partitioned and clustered is shown among the indexes. There are
// neither checks nor triggers in BigQuery, and it doesn't hold rows to keys.
func (s *Source) DescribeTable(ctx context.Context, table catalog.Name) (*catalog.Details, error) {
	found := &catalog.Details{}
	path := "/datasets/" + url.PathEscape(table.Schema) + "/tables/" + url.PathEscape(table.Name)
	received, err := s.client.call(ctx, http.MethodGet, path, nil)
	failed := (*apiError)(nil)
	if errors.As(err, &failed) && failed.Status == http.StatusNotFound {
		return found, nil
	}
	if err != nil {
		return nil, queryError(ctx, err, "the table "+table.Name)
	}
	var t tableResource
	if err := json.Unmarshal(received, &t); err != nil {
		return nil, queryError(ctx, err, "the table "+table.Name)
	}
	for _, f := range t.Schema.Fields {
		found.Columns = append(found.Columns, f.definition())
	}
	if n, err := strconv.ParseInt(t.Rows, 10, 64); err == nil {
		found.Rows = &n
	}
	found.Constraints = s.keys(&t)
	found.Indexes = t.order()
	err = s.describeIndexes(ctx, table, found)
	if errors.As(err, &failed) && failed.Status != http.StatusUnauthorized {
		found.Missing = "search and vector indexes can't be read: " + failed.Message
		err = nil
	}
	return found, queryError(ctx, err, "the indexes of "+table.Name)
}

func (f *describedField) definition() catalog.ColumnDefinition {
	c := catalog.ColumnDefinition{Name: f.Name, Type: f.Type, Nullable: f.Mode != "REQUIRED", Default: f.Default}
	switch {
	case f.MaxLength != "":
		c.Type += "(" + f.MaxLength + ")"
	case f.Precision != "" && f.Scale != "":
		c.Type += "(" + f.Precision + ", " + f.Scale + ")"
	case f.Precision != "":
		c.Type += "(" + f.Precision + ")"
	}
	if f.Mode == "REPEATED" {
		c.Type = "ARRAY<" + c.Type + ">"
	}
	if f.Description != "" {
		c.Comment = &f.Description
	}
	return c
}

func (s *Source) keys(t *tableResource) []catalog.Definition {
	var list []catalog.Definition
	if k := t.Constraints.PrimaryKey; k != nil {
		list = append(list, catalog.Definition{Name: "primary key", Type: catalog.PrimaryKey, Columns: k.Columns, Text: "PRIMARY KEY " + quoteNames(k.Columns) + " NOT ENFORCED"})
	}
	for _, k := range t.Constraints.ForeignKeys {
		d := catalog.Definition{Name: k.Name, Type: catalog.ForeignKeyOf}
		for _, c := range k.Columns {
			d.Columns, d.TargetColumns = append(d.Columns, c.Referencing), append(d.TargetColumns, c.Referenced)
		}
		// A table of another project isn't one of the source.
		target := quoteName(k.Target.DatasetID) + "." + quoteName(k.Target.TableID)
		if project := k.Target.ProjectID; project != "" && project != s.client.options.Project {
			target = quoteName(project) + "." + target
		} else {
			d.Target = &catalog.Name{Schema: k.Target.DatasetID, Name: k.Target.TableID}
		}
		d.Text = "FOREIGN KEY " + quoteNames(d.Columns) + " REFERENCES " + target + " " + quoteNames(d.TargetColumns) + " NOT ENFORCED"
		list = append(list, d)
	}
	return list
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

// order is how the table is partitioned and clustered.
func (t *tableResource) order() []catalog.Index {
	var list []catalog.Index
	if p := t.TimePartitioning; p != nil {
		column := p.Field
		if column == "" {
			column = "_PARTITIONTIME"
		}
		list = append(list, catalog.Index{Name: "partitioning", Method: "partitions by " + strings.ToLower(p.Type), Columns: []string{column}})
	}
	if p := t.RangePartitioning; p != nil {
		bounds := strings.Join([]string{quoteName(p.Field), "GENERATE_ARRAY(" + p.Range.Start + ", " + p.Range.End + ", " + p.Range.Interval + ")"}, ", ")
		list = append(list, catalog.Index{Name: "partitioning", Method: "partitions by range", Columns: []string{p.Field}, Text: "PARTITION BY RANGE_BUCKET(" + bounds + ")"})
	}
	if c := t.Clustering; c != nil {
		list = append(list, catalog.Index{Name: "clustering", Method: "clustering", Columns: c.Fields})
	}
	return list
}

// describeIndexes reads the search and vector indexes.
func (s *Source) describeIndexes(ctx context.Context, table catalog.Name, found *catalog.Details) error {
	var parts []string
	for _, kind := range []string{"search", "vector"} {
		views := quoteName(table.Schema) + ".INFORMATION_SCHEMA." + strings.ToUpper(kind) + "_INDEX"
		parts = append(parts, "SELECT '"+kind+"', i.index_name, i.index_status, i.ddl, c.index_column_name FROM "+views+"ES AS i JOIN "+views+
			"_COLUMNS AS c ON c.table_name = i.table_name AND c.index_name = i.index_name WHERE i.table_name = @p1")
	}
	q := queryRequest{
		Query: strings.Join(parts, " UNION ALL ") + " ORDER BY 2, 5", purpose: purposeIntrospection,
		QueryParameters: []queryParameter{{Name: parameterName(1), Type: parameterType{Type: "STRING"}, Value: parameterValue{Value: &table.Name}}},
	}
	_, err := s.run(ctx, q, nil, func(row []byte) error {
		cells, _, ok := (format{}).Record(nil, nil, row)
		if !ok || len(cells) != 5 {
			return errMalformed
		}
		name := string(cells[1])
		n := slices.IndexFunc(found.Indexes, func(i catalog.Index) bool { return i.Name == name && i.Text != "" })
		if n < 0 {
			n = len(found.Indexes)
			found.Indexes = append(found.Indexes, catalog.Index{Name: name, Method: string(cells[0]), Invalid: string(cells[2]) != "ACTIVE", Text: string(cells[3])})
		}
		found.Indexes[n].Columns = append(found.Indexes[n].Columns, string(cells[4]))
		return nil
	})
	return err
}
