package apply

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// step is a request, or an element of a bulk request, with its arguments read.
type step interface {
	// modifies reports whether the step may change metadata.
	modifies() bool
	// adminOnly reports whether other roles are refused.
	adminOnly() bool
}

// operationStep is an operation of the registry.
type operationStep struct{ *metadata.Operation }

func (s operationStep) modifies() bool {
	if _, reads := s.Args.(metadata.Query); reads {
		return false
	}
	return !isEventRequest(s.Args)
}

func (operationStep) adminOnly() bool { return true }

// bulkMode decides what happens to the others when an element fails.
type bulkMode int

const (
	bulkStop bulkMode = iota
	bulkKeepGoing
	bulkAtomic
	bulkConcurrent
)

type bulkStep struct {
	mode  bulkMode
	steps []step
}

func (s bulkStep) modifies() bool {
	for _, e := range s.steps {
		if e.modifies() {
			return true
		}
	}
	return false
}

func (s bulkStep) adminOnly() bool {
	for _, e := range s.steps {
		if e.adminOnly() {
			return true
		}
	}
	return false
}

// runSQLStep is run_sql.
type runSQLStep struct {
	kind string // of the source
	// changes is metadata.Kind.ChangesSchema of the kind.
	changes func(sql string) bool

	SQL           string `json:"sql" meta:"required"`
	Source        string `json:"source" meta:"default=default"`
	Cascade       bool   `json:"cascade"`
	Check         *bool  `json:"check_metadata_consistency"`
	ReadOnly      bool   `json:"read_only"`
	NoTransaction bool   `json:"no_transaction"`
}

// runSQLKinds are the names of run_sql, with the kinds of sources that they are for.
func runSQLKinds(api metadata.API) map[string]string {
	names := map[string]string{"run_sql": metadata.DefaultKind}
	for _, k := range metadata.KnownKinds() {
		if k.Name == metadata.DefaultKind || api == metadata.APIQueryV2 {
			names[k.RunSQL()] = k.Name
		}
	}
	return names
}

// modifies reports whether the text is checked for what it does to metadata.
func (s *runSQLStep) modifies() bool {
	switch {
	case s.ReadOnly:
		return false
	case s.Check != nil:
		return *s.Check
	}
	return s.changes != nil && s.changes(s.SQL)
}

func (*runSQLStep) adminOnly() bool { return true }

// dataStep is an operation on rows, which an executor runs.
type dataStep struct {
	body json.RawMessage
	// admin reports whether the endpoint is for admin alone.
	admin bool
}

func (dataStep) modifies() bool    { return false }
func (s dataStep) adminOnly() bool { return s.admin }

// getStateStep is get_catalog_state.
type getStateStep struct{}

func (getStateStep) modifies() bool  { return false }
func (getStateStep) adminOnly() bool { return true }

// setStateStep is set_catalog_state.
type setStateStep struct {
	Type  string          `json:"type" meta:"required"`
	State json.RawMessage `json:"state" meta:"required"`
}

func (*setStateStep) modifies() bool  { return false }
func (*setStateStep) adminOnly() bool { return true }

// parse reads a request down to the arguments of its last element.
func (e *Engine) parse(api metadata.API, r *metadata.Envelope, body json.RawMessage) (step, error) {
	if mode, ok := bulkModes(api)[r.Type]; ok {
		return e.parseBulk(api, r, mode)
	}
	if api != metadata.APIMetadata {
		if kind, ok := runSQLKinds(api)[r.Type]; ok {
			s := &runSQLStep{kind: kind}
			if k := e.Resolve.Kinds[kind]; k != nil {
				s.changes = k.ChangesSchema
			}
			return s, metadata.DecodeArgs(api, r, s)
		}
		switch r.Type {
		case "select", "insert", "update", "delete", "count":
			return dataStep{body, api == metadata.APIQueryV2}, nil
		}
		if api == metadata.APIQueryV2 {
			return nil, apierror.Newf(apierror.ParseFailed, "Unrecognised RQLQuery type: %s", r.Type)
		}
	} else {
		switch r.Type {
		case "get_catalog_state":
			return getStateStep{}, nil
		case "list_metadata_versions":
			s := &listVersionsStep{}
			return s, metadata.DecodeArgs(api, r, s)
		case "diff_metadata_versions":
			s := &diffVersionsStep{}
			return s, metadata.DecodeArgs(api, r, s)
		case "rollback_metadata":
			s := &rollbackStep{}
			return s, metadata.DecodeArgs(api, r, s)
		case "set_catalog_state":
			s := &setStateStep{}
			return s, metadata.DecodeArgs(api, r, s)
		}
	}
	if args := scheduledArgs(api, r.Type); args != nil {
		return scheduledStep{args}, metadata.DecodeArgs(api, r, args)
	}
	o, err := e.registry.Operation(api, r)
	if err != nil {
		return nil, err
	}
	return operationStep{o}, nil
}

func bulkModes(api metadata.API) map[string]bulkMode {
	switch api {
	case metadata.APIMetadata:
		return map[string]bulkMode{"bulk": bulkStop, "bulk_keep_going": bulkKeepGoing, "bulk_atomic": bulkAtomic}
	case metadata.APIQueryV2:
		return map[string]bulkMode{"bulk": bulkStop, "concurrent_bulk": bulkConcurrent}
	}
	return map[string]bulkMode{"bulk": bulkStop}
}

func (e *Engine) parseBulk(api metadata.API, r *metadata.Envelope, mode bulkMode) (step, error) {
	var bodies []json.RawMessage
	if err := metadata.DecodeArgs(api, r, &bodies); err != nil {
		return nil, err
	}
	bulk := bulkStep{mode: mode}
	for i, body := range bodies {
		element, err := metadata.ParseEnvelope(body)
		var s step
		if err == nil {
			s, err = e.parse(api, element, body)
		}
		if err == nil && isDryRun(api, element, s) {
			err = apierror.New(apierror.NotSupported, "dry_run is for a whole request: it belongs beside the type of the outermost one")
		}
		if err != nil {
			return nil, apierror.At(err, "args", i)
		}
		bulk.steps = append(bulk.steps, s)
	}
	return bulk, nil
}
