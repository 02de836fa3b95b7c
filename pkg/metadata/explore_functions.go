package metadata

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"queryengine/pkg/catalog"
)

// GetSourceFunctions are the arguments of get_source_functions.
type GetSourceFunctions struct {
	Source string `json:"source" meta:"default=default"`
}

// Introspect asks for the whole source.
func (a *GetSourceFunctions) Introspect(v View) (Introspection, error) {
	_, err := v.usableSource(a.Source)
	return Introspection{Sources: []string{a.Source}}, err
}

// Failed words why the source couldn't be read.
func (a *GetSourceFunctions) Failed(v View, reason string) error {
	return v.sourceFailure("failed to fetch source functions: " + reason)
}

// functionInfo is the information about a function, or about one overload of it.
type functionInfo struct {
	Name        catalog.Name       `json:"name"`
	Arguments   []functionArgument `json:"arguments"`
	Returns     string             `json:"returns"`
	ReturnsSet  bool               `json:"returns_set"`
	ReturnTable *catalog.Name      `json:"return_table,omitempty"`
	Volatility  catalog.Volatility `json:"volatility"`
	Description *string            `json:"description,omitempty"`
	Tracked     bool               `json:"tracked"`
	// Refusal is why the function can't be tracked, "" for one that can be, or is.
	Refusal string `json:"refusal,omitempty"`
}

// functionArgument is an argument; Table is the table whose rows it takes.
type functionArgument struct {
	Name  string        `json:"name,omitempty"`
	Type  string        `json:"type"`
	Table *catalog.Name `json:"table,omitempty"`
}

// Answer lists the functions as they are now, in the order of their names.
func (a *GetSourceFunctions) Answer(v View) (json.RawMessage, error) {
	s, err := v.source(a.Source)
	if err != nil {
		return nil, err
	}
	db := v.Catalogs[a.Source]
	found := []functionInfo{}
	for _, name := range slices.SortedFunc(maps.Keys(db.Functions), catalog.Name.Compare) {
		tracked := s.Function(name) != nil
		refusal := ""
		if !tracked {
			refusal = v.functionRefusal(s, db, name)
		}
		first := len(found)
		for _, f := range db.Functions[name] {
			info := functionInfo{
				Name: name, Arguments: []functionArgument{}, Returns: v.Schema.TypeName(a.Source, f.Return),
				ReturnsSet: f.ReturnsSet, ReturnTable: f.ReturnTable, Volatility: f.Volatility, Description: f.Comment,
				Tracked: tracked, Refusal: refusal,
			}
			for _, arg := range f.Args {
				info.Arguments = append(info.Arguments, functionArgument{arg.Name, v.Schema.TypeName(a.Source, arg.Type), arg.Table})
			}
			found = append(found, info)
		}
		slices.SortStableFunc(found[first:], func(a, b functionInfo) int {
			return cmp.Or(cmp.Compare(len(a.Arguments), len(b.Arguments)), slices.CompareFunc(a.Arguments, b.Arguments, func(a, b functionArgument) int {
				return cmp.Compare(a.Type, b.Type)
			}))
		})
	}
	return Encode(found)
}

// functionRefusal is why track_function would refuse, "" when it wouldn't.
func (v View) functionRefusal(s *Source, db *catalog.Source, name catalog.Name) string {
	if s.Table(name) != nil {
		return fmt.Sprintf("table with name %q already exists", s.Display(name))
	}
	return v.Schema.FunctionRefusal(s.Name, db, name)
}
