package changes

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/catalog"
	"queryengine/pkg/changemessage"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	changev1 "queryengine/proto/change/v1"
)

// Config is what Readers work with.
type Config struct {
	Bus *bus.Bus
	// Open opens a source; it makes no connection yet.
	Open    open.Open
	Logger  *slog.Logger
	Metrics *Metrics
}

// Readers read the logs of all sources that are configured for it. They are safe for concurrent use.
type Readers struct {
	Config
	pool *open.Pool

	mu      sync.Mutex
	readers map[string]*reader // by source
	stopped bool
	// listening ends the subscription to what is wanted; nil before Start.
	listening func()
	running   sync.WaitGroup
}

// New returns Readers that know no sources yet.
func New(c Config) *Readers {
	return &Readers{Config: c, pool: open.New(c.Open), readers: map[string]*reader{}}
}

// Register adds the handler of requests.
func (r *Readers) Register(s *bus.Service) error {
	return s.Handle(bus.ChangesWatch(r.Bus.Instance()), func() proto.Message { return &changev1.WatchRequest{} }, r.watch)
}

// Start begins to read what is wanted.
func (r *Readers) Start() error {
	stop, err := r.Bus.Subscribe(bus.ChangesWanted, func() proto.Message { return &changev1.Wanted{} }, func(m proto.Message) {
		if w, ok := m.(*changev1.Wanted); ok {
			if reader := r.reader(w.GetSource()); reader != nil {
				reader.want()
			}
		}
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listening = stop
	return nil
}

// Follow applies a version of the metadata.
func (r *Readers) Follow(s *snapshot.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	wanted := make(map[string]*metadata.Source, len(s.Document.Sources))
	for _, m := range s.Document.Sources {
		wanted[m.Name] = m
	}
	for name, old := range r.readers {
		if m := wanted[name]; m == nil || !open.Same(old.meta, m) || old.slot != slotName(s.StreamID, name) {
			old.end()
			delete(r.readers, name)
		}
	}
	for name, m := range wanted {
		if r.readers[name] == nil {
			r.begin(m, slotName(s.StreamID, name))
		}
	}
	r.pool.Retain(s.Document.Sources)
}

// slotName is the name under which the processes of an installation read a source. Several
// installations may read the same server.
func slotName(installation, source string) string {
	sum := sha256.Sum256([]byte(installation + "\x00" + source))
	return fmt.Sprintf("engine_live_%x", sum[:8])
}

// begin begins to read a source, if it is to be read.
func (r *Readers) begin(m *metadata.Source, slot string) {
	opened, err := r.pool.Use(m)
	if err != nil {
		return // what needs the source reports that
	}
	s, ok := opened.Source.(backend.LogSource)
	if !ok {
		opened.Release()
		return
	}
	changes := s.ChangeLog(slot)
	if changes == nil {
		opened.Release()
		return
	}
	reader := newReader(&r.Config, m, slot, changes)
	r.readers[m.Name] = reader
	r.running.Go(func() {
		defer opened.Release()
		reader.run()
	})
}

func (r *Readers) reader(source string) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readers[source]
}

// watch answers ChangesWatch.
func (r *Readers) watch(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*changev1.WatchRequest)
	if !ok {
		return apierror.Newf(apierror.Unexpected, "unexpected request %T", m)
	}
	reader := r.reader(in.GetSource())
	if reader == nil || !reader.reads(in.GetReading()) {
		return apierror.New(apierror.Unexpected, "the log of the source isn't read here any more")
	}
	relations := make([]catalog.Name, len(in.GetRelations()))
	for i, n := range in.GetRelations() {
		relations[i] = catalog.Name{Schema: n.GetSchema(), Name: n.GetName()}
	}
	tables, told, err := reader.watch(ctx, relations, backend.RowColumns{Told: in.GetColumns(), Compared: in.GetCompared()})
	if errors.Is(err, backend.ErrUnwatchable) {
		w.SetHead(&changev1.WatchHead{Unwatchable: true})
		return nil
	}
	if err != nil {
		// For the log of the executor, which is an operator's.
		return apierror.New(apierror.PostgresError, err.Error())
	}
	w.SetHead(&changev1.WatchHead{Tables: tables, Columns: changemessage.EncodeColumns(told)})
	return nil
}

// Stop ends all reading.
func (r *Readers) Stop() {
	r.mu.Lock()
	r.stopped = true
	if r.listening != nil {
		r.listening()
		r.listening = nil
	}
	for name, old := range r.readers {
		old.end()
		delete(r.readers, name)
	}
	r.mu.Unlock()
	r.running.Wait()
	r.pool.Close()
}
