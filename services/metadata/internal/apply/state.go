package apply

import (
	"encoding/json"
	"reflect"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/remotes"
	"queryengine/services/metadata/internal/sources"
	"queryengine/services/metadata/internal/store"
)

// State is one version of the metadata with what follows from it. It is immutable.
type State struct {
	*snapshot.Snapshot
	Schema *resolve.Schema
	// queriesChecked reports whether Inconsistent has the queries of collections that don't suit the
	// schema, as an executor has found them. A snapshot from the store lacks them.
	queriesChecked bool
}

// newState resolves and checks a snapshot. prev, which may be nil, is a state to take over
// from what did not change.
func newState(s *snapshot.Snapshot, prev *State, o resolve.Options) *State {
	var before *resolve.Schema
	if prev != nil {
		before = prev.Schema
	}
	reasons := make(map[string]string, len(s.SourceErrors))
	for source, text := range s.SourceErrors {
		reasons[source], _ = sources.Reason(text)
	}
	checked := *s
	remoteReasons := make(map[string]string, len(s.RemoteErrors))
	for name, text := range s.RemoteErrors {
		remoteReasons[name], _ = remotes.Reason(text)
	}
	schema := resolve.New(s.Document, resolve.Findings{
		Catalogs: s.Catalogs, SourceErrors: reasons, Remotes: s.Remotes, RemoteErrors: remoteReasons,
	}, before, o)
	checked.Inconsistent = append(withDetails(schema.Inconsistencies(), s), s.Document.InvalidQueries(s.Inconsistent)...)
	if prev != nil && equalInconsistent(checked.Inconsistent, prev.Inconsistent) {
		checked.Inconsistent = prev.Inconsistent
	}
	return &State{Snapshot: &checked, Schema: schema}
}

// withDetails adds the driver's message to the inconsistencies of sources, and the failure of the call
// to those of remote schemas.
func withDetails(list []metadata.Inconsistency, s *snapshot.Snapshot) []metadata.Inconsistency {
	for i := range list {
		switch id := list[i].ID; id.Kind {
		case metadata.ObjectSource:
			if _, detail := sources.Reason(s.SourceErrors[id.Source]); detail != "" {
				list[i].Message, _ = json.Marshal(detail) // a text always encodes
			}
		case metadata.ObjectRemoteSchema:
			_, list[i].Message = remotes.Reason(s.RemoteErrors[id.Remote])
		}
	}
	return list
}

func equalInconsistent(a, b []metadata.Inconsistency) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

func (s *State) version() store.Version {
	return store.Version{StreamID: s.StreamID, Number: s.Version}
}

// catalogs are the catalogs and errors of the state.
func (s *State) catalogs() sources.Catalogs {
	return sources.Catalogs{BySource: s.Catalogs, Errors: s.SourceErrors}
}

// answers are the answers of remote schemas, and the errors, of the state.
func (s *State) answers() remotes.Answers {
	return remotes.Answers{ByName: s.Remotes, Errors: s.RemoteErrors}
}

// view is what an operation may look at.
func (s *State) view(kind string) metadata.View {
	return metadata.View{
		Version:      s.Version,
		Document:     s.Document,
		Catalogs:     s.Catalogs,
		Remotes:      s.Remotes,
		Inconsistent: s.Inconsistent,
		Kinds:        s.Schema.Kinds(),
		Kind:         kind,
		Schema:       s.Schema,
	}
}
