package postgres

import (
	"encoding/json"
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
)

// functionRow is a function whose types aren't resolved yet.
type functionRow struct {
	function catalog.Function
	result   uint32
	args     []int  // types of all arguments, also of output
	modes    string // one letter for each of args; empty when all are input
	names    []string
}

var volatilities = map[string]catalog.Volatility{
	"i": catalog.Immutable,
	"s": catalog.Stable,
	"v": catalog.Volatile,
}

func (in *introspection) function(row [][]byte) error {
	f := functionRow{function: catalog.Function{
		Name:       catalog.Name{Schema: string(row[1]), Name: string(row[2])},
		ID:         string(row[0]),
		Comment:    optionalText(row[3]),
		Volatility: volatilities[string(row[4])],
		Variadic:   isTrue(row[5]),
		ReturnsSet: isTrue(row[6]),
	}}
	var err error
	if f.result, err = parseOID(row[7]); err != nil {
		return err
	}
	if f.args, err = parseNumbers(row[8]); err != nil {
		return err
	}
	f.modes = string(row[9])
	if row[10] != nil {
		if err := json.Unmarshal(row[10], &f.names); err != nil {
			return err
		}
	}
	if f.function.Defaults, err = strconv.Atoi(string(row[11])); err != nil {
		return err
	}
	in.types.use(f.result)
	for _, typ := range f.args {
		in.types.use(uint32(typ))
	}
	in.functions = append(in.functions, f)
	return nil
}

func (in *introspection) buildFunction(f functionRow) *catalog.Function {
	built := f.function
	built.Return = in.types.resolve(f.result)
	built.ReturnTable = in.tableOf(f.result)
	for i, typ := range f.args {
		if f.modes != "" && !strings.ContainsRune("ibv", rune(f.modes[i])) {
			continue
		}
		arg := catalog.Argument{Type: in.types.resolve(uint32(typ)), Table: in.tableOf(uint32(typ))}
		if i < len(f.names) {
			arg.Name = f.names[i]
		}
		built.Args = append(built.Args, arg)
	}
	return &built
}

// tableOf is the table whose row type this is.
func (in *introspection) tableOf(typ uint32) *catalog.Name {
	t := in.byOID[in.types.rows[typ].relation]
	if t == nil {
		return nil
	}
	name := t.Name
	return &name
}
