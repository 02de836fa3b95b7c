package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"queryengine/pkg/catalog"
)

// routine is a table function as routines.list and routines.get have it.
type routine struct {
	Reference struct {
		RoutineID string `json:"routineId"`
	} `json:"routineReference"`
	Type        string `json:"routineType"`
	Description string `json:"description"`
	Arguments   []struct {
		Name string    `json:"name"`
		Kind string    `json:"argumentKind"`
		Type *dataType `json:"dataType"`
	} `json:"arguments"`
	Returns *struct {
		Columns []struct {
			Name string    `json:"name"`
			Type *dataType `json:"type"`
		} `json:"columns"`
	} `json:"returnTableType"`
}

// dataType is a type of GoogleSQL in the API.
type dataType struct {
	Kind    string    `json:"typeKind"`
	Element *dataType `json:"arrayElementType"`
}

// routineList is a response of routines.list.
type routineList struct {
	Routines      []*routine `json:"routines"`
	NextPageToken string     `json:"nextPageToken"`
}

const (
	tableFunction = "TABLE_VALUED_FUNCTION"
	// routineFields are the fields of routines that are read.
	routineFields = "routineReference,routineType,description,arguments,returnTableType"
)

// listRoutines reads the table functions of a dataset. Where the API has no routines, or the account may not list them,
// there are none. Emulators that have none may answer with any error.
func (s *Source) listRoutines(ctx context.Context, dataset string, found *catalog.Source) error {
	err := s.readRoutines(ctx, dataset, found)
	failed := (*apiError)(nil)
	if errors.As(err, &failed) && (s.client.options.Anonymous || slices.Contains(noRoutines, failed.Status)) {
		return nil
	}
	return err
}

func (s *Source) readRoutines(ctx context.Context, dataset string, found *catalog.Source) error {
	path := "/datasets/" + url.PathEscape(dataset) + "/routines"
	query := url.Values{"filter": {"routineType:" + tableFunction}, "readMask": {routineFields}}
	for {
		received, err := s.client.call(ctx, http.MethodGet, path, query)
		if err != nil {
			return err
		}
		var list routineList
		if err := json.Unmarshal(received, &list); err != nil {
			return err
		}
		for _, r := range list.Routines {
			if r.Type != tableFunction {
				continue
			}
			if len(r.Arguments) == 0 && r.Returns == nil { // the list may leave details out
				if err := s.getRoutine(ctx, path, r); err != nil {
					return err
				}
			}
			f := r.function(dataset)
			found.Functions[f.Name] = []*catalog.Function{f}
		}
		if list.NextPageToken == "" {
			return nil
		}
		query.Set("pageToken", list.NextPageToken)
	}
}

// noRoutines are the answers of an API that lists no routines.
var noRoutines = []int{http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

func (s *Source) getRoutine(ctx context.Context, path string, r *routine) error {
	received, err := s.client.call(ctx, http.MethodGet, path+"/"+url.PathEscape(r.Reference.RoutineID), nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(received, r)
}

// function is the routine as a function of a catalog.
func (r *routine) function(dataset string) *catalog.Function {
	f := &catalog.Function{Name: catalog.Name{Schema: dataset, Name: r.Reference.RoutineID}, Volatility: catalog.Stable, ReturnsSet: true}
	if r.Description != "" {
		f.Comment = &r.Description
	}
	for _, a := range r.Arguments {
		f.Args = append(f.Args, catalog.Argument{Name: a.Name, Type: argumentType(a.Kind, a.Type)})
	}
	if r.Returns != nil {
		for _, c := range r.Returns.Columns {
			f.Columns = append(f.Columns, &catalog.Column{Name: c.Name, Type: c.Type.catalog(), Nullable: true})
		}
	}
	return f
}

// argumentType is the type of an argument. One that takes values of any type, or a table, has a pseudo-type.
func argumentType(kind string, t *dataType) catalog.Type {
	if t == nil || kind != "" && kind != "FIXED_TYPE" && kind != "ARGUMENT_KIND_UNSPECIFIED" {
		name := "ANY TYPE"
		if kind != "ANY_TYPE" && kind != "" {
			name = kind
		}
		return catalog.Type{Name: name, Kind: catalog.TypePseudo}
	}
	return t.catalog()
}

func (t *dataType) catalog() catalog.Type {
	switch {
	case t == nil:
		return catalog.Type{}
	case t.Element != nil:
		of := t.Element.catalog()
		of.Dims = 1
		return of
	}
	return columnType(t.Kind)
}
