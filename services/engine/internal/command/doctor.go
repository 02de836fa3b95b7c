package command

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/postgres/examine"
	"queryengine/pkg/backend/sqlite"
	"queryengine/pkg/catalog"
	"queryengine/pkg/doctor"
	"queryengine/pkg/metadata"
	"queryengine/services/engine/internal/project"
)

// examiners are the kinds of sources that can be examined.
func examiners() map[string]doctor.Examiner {
	return map[string]doctor.Examiner{metadata.DefaultKind: examine.New(), "citus": examine.New(), "sqlite": sqlite.Examiner{}}
}

// doctorOptions are the options of doctor.
type doctorOptions struct {
	databaseURL, document, source, format string
	strict                                bool
}

func doctorCommand() projectCommand {
	o := &doctorOptions{}
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			f.StringVar(&o.databaseURL, "database-url", "", "examine this PostgreSQL database instead of the sources of a server")
			f.StringVar(&o.document, "document", "", "metadata file to hold the database of --database-url against (default: all its tables, tracked)")
			f.StringVar(&o.source, "source", "", "only this source")
			choose(f, &o.format, "format", "table", "form of the report: table or json", "table", "json")
			f.BoolVar(&o.strict, "strict", false, "fail for warnings, too")
		},
		run: func(ctx context.Context, p *workplace, args []string) error {
			switch {
			case len(args) > 0:
				fmt.Fprintf(p.Errs, "engine: unknown argument %q (see --help)\n", args[0])
				return errUsage
			case o.document != "" && o.databaseURL == "":
				fmt.Fprintln(p.Errs, "engine: --document needs --database-url (see --help)")
				return errUsage
			}
			return p.doctor(ctx, o)
		},
	}
}

func (p *workplace) doctor(ctx context.Context, o *doctorOptions) error {
	examination := p.examineServer
	if o.databaseURL != "" {
		examination = p.examineDatabase
	}
	findings, err := examination(ctx, o)
	if err != nil {
		return err
	}
	doctor.Sort(findings)
	if err := p.report(findings, o.format); err != nil {
		return err
	}
	if worst := doctor.Worst(findings); worst == doctor.Error || o.strict && worst == doctor.Warning {
		return exit(1)
	}
	return nil
}

// examineServer examines the sources of a server, through its API.
func (p *workplace) examineServer(ctx context.Context, o *doctorOptions) ([]doctor.Finding, error) {
	raw, err := p.server.Metadata(ctx, "export_metadata", 1, struct{}{})
	if err != nil {
		return nil, err
	}
	document, err := metadata.Parse(raw, metadata.Empty(), kind.All(p.Env, "").Metadata())
	if err != nil {
		return nil, fmt.Errorf("metadata of the server: %w", err)
	}
	if o.source != "" && document.Source(o.source) == nil {
		return nil, fmt.Errorf("the server has no source %q", o.source)
	}
	findings, err := p.inconsistentFindings(ctx)
	if err != nil {
		return nil, err
	}
	var patients []*doctor.Patient
	for _, s := range document.Sources {
		examiner := examiners()[s.Kind]
		if examiner == nil {
			continue // one of the inconsistent objects
		}
		// All are examined, since relationships lead to others.
		facts, err := examiner.Examine(ctx, func(ctx context.Context, query string) ([][]string, error) {
			return p.server.Read(ctx, s.Kind, s.Name, query)
		})
		if err != nil {
			findings = append(findings, unreachable(s.Name, err))
		}
		found, err := patient(s, p.Env, facts)
		if err != nil {
			return nil, err
		}
		patients = append(patients, found)
	}
	findings = append(findings, doctor.Check(patients)...)
	return slices.DeleteFunc(findings, func(f doctor.Finding) bool { return o.source != "" && f.Source != o.source && f.Source != "" }), nil
}

func unreachable(source string, err error) doctor.Finding {
	return doctor.Finding{
		Code: "unreachable", Severity: doctor.Error, Source: source, Message: "the database can't be examined: " + err.Error(),
		Remedy: "Look at its address, its password, and what is between",
	}
}

// inconsistentFindings are the objects of the metadata that the server can't use.
func (p *workplace) inconsistentFindings(ctx context.Context) ([]doctor.Finding, error) {
	raw, err := p.server.Metadata(ctx, "get_inconsistent_metadata", 0, struct{}{})
	if err != nil {
		return nil, err
	}
	var v verdict
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("answer of the server: %w", err)
	}
	var findings []doctor.Finding
	for _, i := range v.Inconsistent {
		findings = append(findings, doctor.Finding{
			Code: "inconsistent", Severity: doctor.Error, Object: i.Name, Message: i.Reason,
			Remedy: "Fix it and run engine metadata reload, or drop it by engine metadata inconsistency drop",
		})
	}
	return findings, nil
}

// examineDatabase examines a database over a connection of its own.
func (p *workplace) examineDatabase(ctx context.Context, o *doctorOptions) ([]doctor.Finding, error) {
	source, err := p.sourceOf(o)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, o.databaseURL)
	if err != nil {
		return []doctor.Finding{unreachable(source.Name, err)}, nil
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was only read
	facts, err := examiners()[source.Kind].Examine(ctx, asking(conn))
	if err != nil {
		return []doctor.Finding{unreachable(source.Name, err)}, nil
	}
	var pid uint32
	if err := conn.QueryRow(ctx, `SELECT pg_catalog.pg_backend_pid()`).Scan(&pid); err != nil {
		return nil, err
	}
	facts.Server.Pooled = pid != conn.PgConn().PID() // a pooler makes up the one that it tells
	if o.document == "" {
		trackAll(source, facts)
	}
	found, err := patient(source, p.Env, facts)
	if err != nil {
		return nil, err
	}
	return doctor.Check([]*doctor.Patient{found}), nil
}

// asking runs queries on a connection, in read-only transactions; values are texts.
func asking(conn *pgx.Conn) doctor.Ask {
	return func(ctx context.Context, query string) (list [][]string, err error) {
		err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				row := make([]string, len(rows.RawValues()))
				for i, value := range rows.RawValues() {
					row[i] = string(value)
				}
				list = append(list, row)
			}
			return rows.Err()
		})
		return list, err
	}
}

func patient(s *metadata.Source, env metadata.Env, facts *doctor.Facts) (*doctor.Patient, error) {
	kinds := kind.All(env, "")
	types, err := kinds.Dialect(s.Kind, nil, nil)
	if err != nil {
		return nil, err
	}
	found := &doctor.Patient{Source: s, Types: types, Pool: kinds[s.Kind].Connections(s), Facts: facts}
	if s.Kind == metadata.DefaultKind {
		found.Roles, found.Policed = postgres.DatabaseRoles(s.Configuration)
	}
	return found, nil
}

// sourceOf is the source that a database is held against: of the document, or an empty one.
func (p *workplace) sourceOf(o *doctorOptions) (*metadata.Source, error) {
	if o.document == "" {
		name := o.source
		if name == "" {
			name = metadata.DefaultSource
		}
		return &metadata.Source{Name: name, Kind: metadata.DefaultKind}, nil
	}
	raw, err := project.ReadFile(o.document)
	if err != nil {
		return nil, err
	}
	document, err := metadata.Parse(raw, metadata.Empty(), kind.All(p.Env, "").Metadata())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.document, err)
	}
	for _, s := range document.Sources {
		if s.Kind == metadata.DefaultKind && (o.source == "" || s.Name == o.source) {
			return s, nil
		}
	}
	if o.source == "" {
		return nil, fmt.Errorf("%s: there is no PostgreSQL source", o.document)
	}
	return nil, fmt.Errorf("%s: there is no PostgreSQL source %q", o.document, o.source)
}

// trackAll makes metadata of a database that has none: all tables, with relationships by their foreign keys.
func trackAll(source *metadata.Source, facts *doctor.Facts) {
	tables := map[catalog.Name]*metadata.Table{}
	for _, t := range facts.Tables {
		if !t.Unlisted {
			tables[t.Name] = &metadata.Table{Table: t.Name}
			source.Tables = append(source.Tables, tables[t.Name])
		}
	}
	for _, t := range facts.Tables {
		for _, k := range t.ForeignKeys {
			from, to := tables[t.Name], tables[k.Target]
			if from == nil || to == nil {
				continue
			}
			from.ObjectRelationships = append(from.ObjectRelationships,
				&metadata.Relationship{Name: k.Name, Using: metadata.RelationshipUsing{Columns: k.Columns}})
			to.ArrayRelationships = append(to.ArrayRelationships, &metadata.Relationship{
				Name: k.Name, Using: metadata.RelationshipUsing{Remote: &metadata.RemoteForeignKey{Table: t.Name, Columns: k.Columns}},
			})
		}
	}
}

// report prints the findings.
func (p *workplace) report(findings []doctor.Finding, format string) error {
	if format == "json" {
		if findings == nil {
			findings = []doctor.Finding{}
		}
		e := json.NewEncoder(p.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Findings []doctor.Finding `json:"findings"`
		}{findings})
	}
	if len(findings) == 0 {
		p.print("nothing found")
		return nil
	}
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		where := strings.Trim(f.Source+" "+f.Object, " ")
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Severity, f.Code, where)
		fmt.Fprintf(w, "  %s\n", f.Message)
		if f.Remedy != "" {
			fmt.Fprintf(w, "  -> %s\n", f.Remedy)
		}
	}
	return w.Flush()
}
