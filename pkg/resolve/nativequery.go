package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// NativeQuery is a root field that a statement of the metadata answers, or a stored procedure.
type NativeQuery struct {
	Source *Source
	Meta   *metadata.NativeQuery
	// Procedure is the procedure that is called, instead of the code of Meta; nil for none.
	Procedure *metadata.StoredProcedure
	// Field is the root field and ArgsType the type of `args`, both after customisation.
	Field    RootField
	ArgsType string
	// Args are the arguments, by name.
	Args []*NativeArgument
	// Rows describes the rows, as if they were those of a table.
	Rows *Table
	// Related are the relationships to other native queries; those to tables are Rows'.
	Related []*NativeRelationship

	code []metadata.CodePart
}

// NativeArgument is an argument of a native query.
type NativeArgument struct {
	Name string
	metadata.NativeQueryArgument
	Type   catalog.Type
	Scalar backend.Scalar
}

// NativeRelationship leads from the rows of a native query to those of another one.
type NativeRelationship struct {
	Name   string
	Array  bool
	Target *NativeQuery
	Join   []ir.JoinPair
}

// Relation reads the result, given the arguments by their names. A procedure is called with the given ones only.
func (q *NativeQuery) Relation(args map[string]ir.Value) ir.From {
	if q.Procedure == nil {
		return q.statement(args)
	}
	p := ir.Procedure{Name: q.Procedure.StoredProcedure, Columns: q.Rows.nativeColumns()}
	for _, a := range q.Args {
		if v := args[a.Name]; v != nil {
			p.Args = append(p.Args, ir.ProcedureArg{Name: a.Name, Type: a.Type, Value: v})
		}
	}
	return p
}

func (q *NativeQuery) statement(args map[string]ir.Value) ir.NativeQuery {
	code := make([]ir.Code, len(q.code))
	for i, p := range q.code {
		code[i].Text = p.Text
		if p.Argument != "" {
			code[i].Value = args[p.Argument]
		}
	}
	return ir.NativeQuery{Code: code, Columns: q.Rows.nativeColumns()}
}

// Statement is the relation with variables in the places of its arguments.
func (q *NativeQuery) Statement() ir.NativeQuery {
	args := make(map[string]ir.Value, len(q.Args))
	for i, a := range q.Args {
		args[a.Name] = ir.Variable{Index: i, Type: a.Type}
	}
	return q.statement(args)
}

// NativeQuery returns the consistent native query of that root field, or nil.
func (s *Source) NativeQuery(rootField string) *NativeQuery {
	return s.answering(TableKey{NativeQuery: rootField})
}

// answering is the native query or procedure of that key, or nil.
func (s *Source) answering(k TableKey) *NativeQuery {
	i := slices.IndexFunc(s.NativeQueries, func(q *NativeQuery) bool { return q.key() == k })
	if i < 0 {
		return nil
	}
	return s.NativeQueries[i]
}

func (q *NativeQuery) key() TableKey {
	if q.Procedure != nil {
		return TableKey{Procedure: q.Procedure.StoredProcedure}
	}
	return TableKey{NativeQuery: q.Meta.RootField}
}

func (q *NativeQuery) id() metadata.ObjectID {
	if q.Procedure != nil {
		return procedureID(q.Source, q.Procedure)
	}
	return nativeQueryID(q.Source, q.Meta.RootField)
}

// buildNativeQueries resolves the native queries. One whose relationship leads to another that
// can't be used can't be used either.
func (b modelBuilder) buildNativeQueries(problems map[metadata.ObjectID]problem) {
	for _, m := range b.Meta.NativeQueries {
		q, p := b.nativeQuery(m)
		if p.reason != "" {
			problems[nativeQueryID(b.Source, m.RootField)] = p
			continue
		}
		b.NativeQueries = append(b.NativeQueries, q)
	}
	for _, m := range b.procedures() {
		q, p := b.procedure(m)
		if p.reason != "" {
			problems[procedureID(b.Source, m)] = p
			continue
		}
		b.NativeQueries = append(b.NativeQueries, q)
	}
	b.checkTypeNames(problems)
	for again := true; again; {
		again = false
		b.NativeQueries = slices.DeleteFunc(b.NativeQueries, func(q *NativeQuery) bool {
			p := q.relate()
			if p.reason != "" {
				problems[q.id()] = p
				again = true
			}
			return p.reason != ""
		})
	}
}

// procedures are the tracked ones, where the kind of the source has any.
func (s *Source) procedures() []*metadata.StoredProcedure {
	if k := metadata.KindNamed(s.Kind); k == nil || !k.Can(metadata.StoredProcedures) {
		return nil
	}
	return s.Meta.StoredProcedures
}

// nativeQuery resolves one native query, without its relationships.
func (b modelBuilder) nativeQuery(m *metadata.NativeQuery) (*NativeQuery, problem) {
	code, err := m.Parts()
	if err != nil {
		return nil, problemf("%s", err)
	}
	return b.rootField(&NativeQuery{Meta: m, code: code}, m)
}

// procedure resolves one stored procedure.
func (b modelBuilder) procedure(m *metadata.StoredProcedure) (*NativeQuery, problem) {
	found := b.Catalog.Functions[m.StoredProcedure]
	if len(found) == 0 {
		return nil, problemf("no such stored procedure exists in source: %q", b.head.display(m.StoredProcedure))
	}
	parameters := found[0].Args // none where the server doesn't report them
	for _, name := range sortedKeys(m.Arguments) {
		if len(parameters) > 0 && !slices.ContainsFunc(parameters, func(a catalog.Argument) bool { return strings.EqualFold(a.Name, name) }) {
			return nil, problemf("the procedure %q has no parameter %q", b.head.display(m.StoredProcedure), name)
		}
	}
	q := m.AsNativeQuery(b.Meta)
	if !gqlname.Definable(q.RootField) {
		return nil, problemf("%q is no name of a field: a custom_name is needed", q.RootField)
	}
	return b.rootField(&NativeQuery{Meta: q, Procedure: m}, m)
}

// rootField completes a native query or procedure. What it is made of is at origin.
func (b modelBuilder) rootField(q *NativeQuery, origin any) (*NativeQuery, problem) {
	m := q.Meta
	of, problem := b.modelOf(m, origin)
	if problem.reason != "" {
		return nil, problem
	}
	q.Source = b.Source
	q.Field = RootField{Name: b.head.wrapRoot(m.RootField), comment: orEmpty(m.Description)}
	q.ArgsType = b.head.wrapType(m.RootField + "_arguments")
	for _, name := range sortedKeys(m.Arguments) {
		a := m.Arguments[name]
		t := b.scalar(a.Type)
		q.Args = append(q.Args, &NativeArgument{Name: name, NativeQueryArgument: a, Type: t, Scalar: b.Dialect.Scalar(t)})
	}
	q.Rows = b.table(of, q)
	if p := q.Rows.base.problem; p != "" {
		return nil, problemf("%s", p)
	}
	return q, b.link(q.Rows)
}

// modelOf is what the rows of the query are. Relationships belong to the query and not to the
// model, so rows that have some are of a type that is called like the root field.
func (b modelBuilder) modelOf(m *metadata.NativeQuery, origin any) (*model, problem) {
	var of *model
	if inline := m.Returns.Inline; inline != nil {
		name := metadata.InlineModelName(m.RootField)
		of = &model{
			name: name, typeName: m.RootField, fields: inline.Fields, permissions: inline.SelectPermissions,
			origin: [2]any{origin},
		}
	} else {
		if b.models[m.Returns.Model] == nil {
			return nil, problem{reason: fmt.Sprintf("logical model %q is not tracked", m.Returns.Model), bare: true}
		}
		tracked := b.Meta.LogicalModel(m.Returns.Model)
		of = trackedModel(tracked)
		of.origin = [2]any{origin, tracked}
		if len(m.ObjectRelationships)+len(m.ArrayRelationships) > 0 {
			of.typeName = m.RootField
		}
	}
	return of, problem{}
}

func orEmpty(s *string) *string {
	if s == nil {
		return new(string)
	}
	return s
}

// checkTypeNames leaves out native queries whose rows have a type of another one's name.
func (b modelBuilder) checkTypeNames(problems map[metadata.ObjectID]problem) {
	owners := map[string]string{}
	for _, t := range b.Tables {
		owners[t.Name] = fmt.Sprintf("table %q", t.Display())
	}
	b.NativeQueries = slices.DeleteFunc(b.NativeQueries, func(q *NativeQuery) bool {
		owner := fmt.Sprintf("logical model %q", q.Rows.model.name)
		if q.Rows.Name != q.Rows.model.name {
			owner = fmt.Sprintf("native query %q", q.Meta.RootField) // procedures have no rows of their own
		}
		other, taken := owners[q.Rows.Name]
		if !taken {
			owners[q.Rows.Name] = owner
			return false
		}
		if other != owner {
			problems[q.id()] = problemf(
				"the type %q of its rows has the name of the type of %s", q.Rows.Name, other)
		}
		return other != owner
	})
}

// relate resolves the relationships.
func (q *NativeQuery) relate() problem {
	q.Related, q.Rows.Relationships = nil, nil
	for array, list := range [][]*metadata.NativeQueryRelationship{q.Meta.ObjectRelationships, q.Meta.ArrayRelationships} {
		for _, m := range list {
			if p := q.relationship(m, array == 1); p.reason != "" {
				if !p.bare {
					p.reason = fmt.Sprintf("in relationship %q: %s", m.Name, p.reason)
				}
				return p
			}
		}
	}
	return problem{}
}

func (q *NativeQuery) relationship(m *metadata.NativeQueryRelationship, array bool) problem {
	if reason := q.Rows.base.columnConflict(m.Name); reason != "" {
		return problem{reason: reason}
	}
	var target *Table
	var other *NativeQuery
	if name := m.Using.RemoteTable; name != nil {
		if target = q.Source.Table(*name); target == nil {
			return notTracked(q.Source.head.display(*name))
		}
	} else {
		if other = q.Source.NativeQuery(m.Using.RemoteNativeQuery); other == nil {
			return problem{reason: fmt.Sprintf("native query %q is not tracked", m.Using.RemoteNativeQuery), bare: true}
		}
		target = other.Rows
	}
	var join []ir.JoinPair
	for _, outer := range sortedKeys(m.Using.ColumnMapping) {
		inner := m.Using.ColumnMapping[outer]
		pair, p := joinColumns(q.Rows, outer, target, inner)
		if p.reason != "" {
			return p
		}
		join = append(join, pair)
	}
	if other != nil {
		q.Related = append(q.Related, &NativeRelationship{Name: m.Name, Array: array, Target: other, Join: join})
		return problem{}
	}
	q.Rows.Relationships = append(q.Rows.Relationships, &Relationship{
		Name: m.Name, Array: array, Target: target, Join: join, Nullable: true, Unique: isKey(target.Catalog, join),
	})
	return problem{}
}

// modelNeeds lists what native queries, and the permissions of logical models, need.
func (s *Source) modelNeeds() []objectNeeds {
	var list []objectNeeds
	permissions := func(t *Table) {
		for _, p := range t.model.permissions {
			k := tracker{wanted: true}
			_, _ = parseDefinition(t, p.Role, &p.Permission, &k) // its faults are reported elsewhere
			id := metadata.ObjectID{Kind: metadata.ObjectSelectPermission, Source: s.Name, Name: t.model.name, Role: p.Role}
			list = append(list, objectNeeds{id, k.needs})
		}
	}
	for _, name := range sortedKeys(s.models) {
		permissions(s.models[name])
	}
	for _, q := range s.NativeQueries {
		var needs []need
		if q.Meta.Returns.Inline == nil {
			needs = append(needs, need{id: modelID(s, q.Meta.Returns.Model)})
		} else {
			permissions(q.Rows)
		}
		for _, r := range q.Rows.Relationships {
			needs = append(needs, need{id: tableID(r.Target)})
			for _, j := range r.Join {
				needs = append(needs, need{id: columnID(r.Target, j.Inner)})
			}
		}
		for _, r := range q.Related {
			needs = append(needs, need{id: r.Target.id()})
		}
		if q.Procedure != nil {
			needs = append(needs, need{id: metadata.ObjectID{
				Kind: metadata.ObjectFunction, Source: s.Name, Table: q.Procedure.StoredProcedure,
			}})
		}
		list = append(list, objectNeeds{q.id(), needs})
	}
	return list
}

func nativeQueryID(s *Source, rootField string) metadata.ObjectID {
	return metadata.ObjectID{Kind: metadata.ObjectNativeQuery, Source: s.Name, Name: rootField}
}

func procedureID(s *Source, m *metadata.StoredProcedure) metadata.ObjectID {
	return metadata.ObjectID{Kind: metadata.ObjectStoredProcedure, Source: s.Name, Table: m.StoredProcedure}
}
