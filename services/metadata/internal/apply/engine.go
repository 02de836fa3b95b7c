package apply

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/status"
	"queryengine/services/metadata/internal/remotes"
	"queryengine/services/metadata/internal/sourcehealth"
	"queryengine/services/metadata/internal/store"
)

const (
	// conflictAttempts is how often a request that names no version is processed again because another
	// process was faster.
	conflictAttempts = 10
	// changesAtOnce is how far behind a process may be to catch up change by change.
	changesAtOnce = 100
)

// Config is what an Engine works with.
type Config struct {
	Store   *store.Store
	Sources *open.Pool
	Remotes *remotes.Caller
	Resolve resolve.Options
	Data    Data
	Logger  *slog.Logger
	// SkipNativeQueries accepts native queries without asking the database.
	SkipNativeQueries bool
	// StringifyNumeric shows numbers in events as text that may lose digits.
	StringifyNumeric bool
	// Recheck is the shortest pause between two looks at sources and remote schemas that could
	// not be read.
	Recheck time.Duration
	// Maintenance refuses what changes metadata.
	Maintenance bool
	// Admit refuses what changes metadata at a time when it could not take effect; nil
	// refuses nothing.
	Admit func(ctx context.Context) error
	// Statuses asks all services how they are.
	Statuses func(ctx context.Context) ([]status.Instance, error)
	// SourceHealth is what was found of the sources that are checked, by name.
	SourceHealth func() map[string]sourcehealth.Report
}

// Data runs what needs the schemas of roles: operations on rows, and checks of queries.
type Data interface {
	// Check returns the errors of GraphQL documents for admin, "" for none; overlay is as in Execute.
	Check(ctx context.Context, documents []string, version int64, overlay *snapshot.Change) ([]string, error)
	// Execute returns the JSON of the result.
	Execute(ctx context.Context, o DataOperation) (json.RawMessage, error)
}

// DataOperation is an operation on rows.
type DataOperation struct {
	Session *session.Session
	Body    json.RawMessage
	// Version is the metadata that the operation needs. Overlay is a change on top of that, which
	// isn't committed yet; nil for none.
	Version int64
	Overlay *snapshot.Change
	// ClientHeaders and RequestID are copied from the client's request.
	ClientHeaders map[string]string
	RequestID     string
}

// Engine processes requests. It is safe for concurrent use.
type Engine struct {
	Config
	registry *metadata.Registry

	// writing holds one token, which the request has that changes metadata.
	writing chan struct{}
	// loading is held while newer versions are taken over.
	loading sync.Mutex
	state   atomic.Pointer[State]
	// resolutions counts the states that were made.
	resolutions atomic.Int64
}

// New returns an Engine; Load must be called before anything else.
func New(c Config) *Engine {
	e := &Engine{Config: c, registry: metadata.NewRegistry(c.Resolve.Kinds.Metadata()), writing: make(chan struct{}, 1)}
	e.writing <- struct{}{}
	return e
}

// Resolutions is how often a document was resolved and checked: for changes and for those of
// other processes.
func (e *Engine) Resolutions() int64 { return e.resolutions.Load() }

// State is the newest state that this process knows.
func (e *Engine) State() *State { return e.state.Load() }

// Load reads the state for the first time.
func (e *Engine) Load(ctx context.Context) error {
	_, err := e.Refresh(ctx)
	return err
}

// Refresh takes over what other processes have committed.
func (e *Engine) Refresh(ctx context.Context) (*State, error) {
	version, err := e.Store.Version(ctx)
	if err != nil {
		return nil, err
	}
	if s := e.State(); s != nil && s.version() == version {
		return s, nil
	}
	e.loading.Lock()
	defer e.loading.Unlock()
	current := e.State()
	if current != nil && current.version() == version {
		return current, nil
	}
	loaded, err := e.catchUp(ctx, current, version)
	if err != nil {
		return nil, err
	}
	e.resolutions.Add(1)
	next := newState(loaded, current, e.Resolve)
	e.set(next)
	return next, nil
}

// catchUp returns the current snapshot, by the changes since current where they suffice.
func (e *Engine) catchUp(ctx context.Context, current *State, version store.Version) (*snapshot.Snapshot, error) {
	if current == nil || current.StreamID != version.StreamID || version.Number < current.Version ||
		version.Number-current.Version > changesAtOnce {
		return e.Store.Load(ctx)
	}
	changes, err := e.Store.Changes(ctx, current.Version, changesAtOnce)
	if err != nil {
		return nil, err
	}
	s := current.Snapshot
	for _, c := range changes {
		next, err := s.Apply(c)
		if err != nil {
			return e.Store.Load(ctx)
		}
		s = next
	}
	if s.Version < version.Number {
		return e.Store.Load(ctx)
	}
	return s, nil
}

func (e *Engine) set(s *State) {
	e.logInconsistent(e.state.Swap(s), s)
	e.Sources.Retain(s.Document.Sources)
}

// Request is a request of the metadata API.
type Request struct {
	API     metadata.API
	Session *session.Session
	Body    json.RawMessage
	// ClientHeaders and ID are handed on with operations on rows.
	ClientHeaders map[string]string
	ID            string
	// MinVersion is the published version that the client's gateway knows, 0 for none.
	MinVersion int64

	operation string // its type
	// patience bounds each call to a remote schema, 0 to leave it to the definitions.
	patience time.Duration
}

// Answer is the body of an answer, and the state that it speaks of.
type Answer struct {
	Body  json.RawMessage
	State *State
	// Modified reports whether the request made the version of State.
	Modified bool
}

// Handle processes one request.
func (e *Engine) Handle(ctx context.Context, r Request) (*Answer, error) {
	envelope, err := metadata.ParseEnvelope(r.Body)
	if err != nil {
		return nil, err
	}
	s, err := e.parse(r.API, envelope)
	if err != nil {
		return nil, err
	}
	if s.adminOnly() && !r.Session.IsAdmin() {
		return nil, apierror.At(apierror.New(apierror.AccessDenied, "restricted access : admin only").WithStatus(400), "args")
	}
	r.operation = envelope.Type
	if isDryRun(r.API, envelope, s) {
		return e.dryRun(ctx, r, s, envelope.ResourceVersion)
	}
	if !s.modifies() {
		return e.read(ctx, r, s)
	}
	if e.Maintenance {
		return nil, errMaintenance()
	}
	var version *int64
	if r.API == metadata.APIMetadata {
		version = envelope.ResourceVersion
	}
	return e.modify(ctx, r, s, version)
}

func errMaintenance() error {
	return apierror.New(apierror.Unexpected, "metadata cannot be modified in maintenance mode")
}

// read processes a request that changes no metadata. While the metadata database is down, it is
// answered from memory.
func (e *Engine) read(ctx context.Context, r Request, s step) (*Answer, error) {
	state, err := e.Refresh(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		e.Logger.WarnContext(ctx, "metadata database is unreachable; answering from memory", "error", err)
		state = e.State()
	}
	w := e.newWork(r, state)
	body, err := w.run(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Answer{Body: body, State: state}, nil
}

// modify processes a request that changes metadata, and commits it.
func (e *Engine) modify(ctx context.Context, r Request, s step, version *int64) (*Answer, error) {
	select {
	case <-e.writing:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { e.writing <- struct{}{} }()
	if e.Admit != nil {
		if err := e.Admit(ctx); err != nil {
			return nil, err
		}
	}
	for attempt := 1; ; attempt++ {
		base, err := e.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		if version != nil && *version != base.Version {
			return nil, store.Conflict(*version)
		}
		w := e.newWork(r, base)
		body, err := w.runAndCommit(ctx, s)
		switch {
		case err == nil:
			return &Answer{Body: body, State: w.current, Modified: !w.unchanged}, nil
		case store.IsConflict(err) && version == nil && !w.outside && attempt < conflictAttempts:
			continue
		}
		return nil, err
	}
}

// runAndCommit does a step and commits what it came to. Whatever happens in it, a panic included, the claim
// ends: nothing could be changed any more.
func (w *work) runAndCommit(ctx context.Context, s step) (json.RawMessage, error) {
	defer w.end(ctx)
	body, err := w.run(ctx, s)
	if err != nil || w.unchanged {
		return body, err
	}
	err = w.commit(ctx)
	if w.api == metadata.APIMetadata && apierror.From(err) != nil && apierror.From(err).Code == apierror.DataException {
		err = apierror.At(err, "args")
	}
	return body, err
}

// commitTimeout bounds a commit, which goes on when the client has gone: whatever happens
// to it, this process must know how it ended.
const commitTimeout = 30 * time.Second

// commit stores what the request came to, as the next version.
func (w *work) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	next := *w.current.Snapshot
	next.Version = w.base.Version + 1
	now := time.Now()
	change, err := snapshot.Diff(w.base.Snapshot, &next, now)
	if err != nil {
		return err
	}
	ticks, err := cronChanges(w.base.Document, next.Document, now)
	if err != nil {
		return err
	}
	if err := w.claim(ctx); err != nil {
		return err
	}
	if err := w.tx.PlanCron(ctx, ticks, now); err != nil {
		return err
	}
	if err := w.tx.ForgetActions(ctx, w.forgotten); err != nil {
		return err
	}
	undoTriggers, err := w.changeEventTriggers(ctx)
	if err == nil {
		err = w.store(ctx, &next, change)
	}
	if err != nil {
		undoTriggers(ctx)
		return err
	}
	w.current = &State{Snapshot: &next, Schema: w.current.Schema, queriesChecked: w.current.queriesChecked}
	w.loading.Lock()
	defer w.loading.Unlock()
	if s := w.State(); s.version() == w.base.version() {
		w.set(w.current)
	}
	return nil
}

// store commits the change with what leads back from it.
func (w *work) store(ctx context.Context, next *snapshot.Snapshot, change *snapshot.Change) error {
	undo, err := snapshot.Diff(
		&snapshot.Snapshot{Document: next.Document}, &snapshot.Snapshot{Version: w.base.Version, Document: w.base.Document}, change.At)
	if err != nil {
		return err
	}
	return w.tx.Commit(ctx, store.Record{Change: change, Undo: undo, Operation: w.operation, By: w.author()})
}

// author is who has asked for the work, nil for the engine itself.
func (w *work) author() *store.Author {
	if w.operation == startOperation || w.session == nil {
		return nil
	}
	return &store.Author{Role: w.session.Role, UserID: w.session.Variables[session.UserID], RequestID: w.id}
}
