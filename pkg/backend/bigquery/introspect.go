package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
)

// extensionLimit is where a catalog has the limit of lists: dialects are made from the catalog alone.
const extensionLimit = "global_select_limit"

// Introspect reads the tables and table functions of the datasets. Names and columns come from INFORMATION_SCHEMA with one query for each
// dataset; where there is none, they come from the lists of the API.
func (s *Source) Introspect(ctx context.Context, _ []catalog.Name) (*catalog.Source, error) {
	found := &catalog.Source{
		Tables: map[catalog.Name]*catalog.Table{}, Functions: map[catalog.Name][]*catalog.Function{},
		Enums:      map[catalog.Name][]catalog.EnumValue{},
		Extensions: map[string]string{extensionLimit: strconv.Itoa(s.client.options.SelectLimit)},
	}
	for _, dataset := range s.client.options.Datasets {
		tables, err := s.informationSchema(ctx, dataset, found)
		failed := (*apiError)(nil)
		// Emulators may have the views of INFORMATION_SCHEMA without rows.
		if err == nil && tables == 0 || errors.As(err, &failed) && failed.Status != http.StatusUnauthorized {
			err = s.listTables(ctx, dataset, found)
		}
		if err == nil {
			err = s.listRoutines(ctx, dataset, found)
		}
		if err != nil {
			return nil, queryError(ctx, err, "the tables of "+dataset)
		}
	}
	return found, nil
}

// The kinds of relations, as BigQuery names them in INFORMATION_SCHEMA and in lists.
var relationKinds = map[string]catalog.TableKind{
	"VIEW": catalog.KindView, "MATERIALIZED VIEW": catalog.KindMaterializedView, "MATERIALIZED_VIEW": catalog.KindMaterializedView,
	"EXTERNAL": catalog.KindForeignTable,
}

func newTable(name catalog.Name, kind string) *catalog.Table {
	t := &catalog.Table{Name: name, Kind: relationKinds[strings.ToUpper(kind)], RowEstimate: -1}
	if t.Kind == "" {
		t.Kind = catalog.KindTable
	}
	return t
}

// informationSchema reads the tables of a dataset with their columns, and counts them. Hidden columns, as the times of
// partitions by which rows came in, are no part of t.*.
func (s *Source) informationSchema(ctx context.Context, dataset string, found *catalog.Source) (int, error) {
	schema := quoteName(dataset) + ".INFORMATION_SCHEMA."
	text := "SELECT t.table_name, t.table_type, c.column_name, c.data_type, c.is_nullable FROM " + schema + "TABLES AS t JOIN " +
		schema + "COLUMNS AS c ON c.table_name = t.table_name WHERE c.is_hidden = 'NO' ORDER BY t.table_name, c.ordinal_position"
	read := map[catalog.Name]*catalog.Table{}
	_, err := s.run(ctx, queryRequest{Query: text, purpose: purposeIntrospection}, nil, func(row []byte) error {
		cells, _, ok := (format{}).Record(nil, nil, row)
		if !ok || len(cells) != 5 {
			return errMalformed
		}
		name := catalog.Name{Schema: dataset, Name: string(cells[0])}
		t := read[name]
		if t == nil {
			t = newTable(name, string(cells[1]))
			read[name] = t
		}
		t.Columns = append(t.Columns, &catalog.Column{
			Name: string(cells[2]), Type: columnType(string(cells[3])), Nullable: !strings.EqualFold(string(cells[4]), "NO"),
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	for name, t := range read {
		found.Tables[name] = t
	}
	return len(read), nil
}

// tableList is a response of tables.list.
type tableList struct {
	Tables []struct {
		TableReference struct {
			TableID string `json:"tableId"`
		} `json:"tableReference"`
		Type string `json:"type"`
	} `json:"tables"`
	NextPageToken string `json:"nextPageToken"`
}

// listTables reads the tables of a dataset one by one.
func (s *Source) listTables(ctx context.Context, dataset string, found *catalog.Source) error {
	path := "/datasets/" + url.PathEscape(dataset) + "/tables"
	for token := ""; ; {
		query := url.Values{}
		if token != "" {
			query.Set("pageToken", token)
		}
		received, err := s.client.call(ctx, http.MethodGet, path, query)
		if err != nil {
			return err
		}
		var list tableList
		if err := json.Unmarshal(received, &list); err != nil {
			return err
		}
		for _, listed := range list.Tables {
			t := newTable(catalog.Name{Schema: dataset, Name: listed.TableReference.TableID}, listed.Type)
			if err := s.getTable(ctx, path, t); err != nil {
				return err
			}
			found.Tables[t.Name] = t
		}
		if token = list.NextPageToken; token == "" {
			return nil
		}
	}
}

// getTable reads the columns of a table.
func (s *Source) getTable(ctx context.Context, path string, t *catalog.Table) error {
	received, err := s.client.call(ctx, http.MethodGet, path+"/"+url.PathEscape(t.Name.Name), nil)
	if err != nil {
		return err
	}
	var table struct {
		Schema struct {
			Fields []tableField `json:"fields"`
		} `json:"schema"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(received, &table); err != nil {
		return err
	}
	if table.Description != "" {
		t.Comment = &table.Description
	}
	for _, f := range table.Schema.Fields {
		c := &catalog.Column{Name: f.Name, Type: f.columnType(), Nullable: f.Mode != "REQUIRED"}
		if f.Description != "" {
			c.Comment = &f.Description
		}
		t.Columns = append(t.Columns, c)
	}
	return nil
}
