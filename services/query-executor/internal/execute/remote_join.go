package execute

import (
	"context"

	"queryengine/services/query-executor/internal/join"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/request"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/share"
)

// remoteTarget is a field of a remote schema that is requested keys.
type remoteTarget struct{ *request.Call }

// bindings are none: what a remote learns of variables belongs to the body of the call.
func (t *remoteTarget) bindings() input.Bindings { return input.Bindings{} }

func (t *remoteTarget) needs() Needs { return NeedsRemotes }

func (t *remoteTarget) texts() []string { return t.Texts() }

func (t *remoteTarget) ask(ctx context.Context, r *Run, _ [][]byte, keys join.Keys) ([][]byte, error) {
	list := make([][][]byte, keys.Len())
	for i := range list {
		list[i] = keys.Key(i)
	}
	body, err := t.Body(list, r.Values, r.Session)
	if err != nil {
		return nil, err
	}
	place, err := r.Places.Take(share.Remote, t.Meta.Name)
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	r.calls(ctx, RemoteSchema)
	response, err := r.Remotes.Call(ctx, t.Meta, body)
	if err != nil {
		return nil, err
	}
	defer r.Remotes.Release(response.Body) // all that is taken of it is copied
	data, err := remote.Joined(response.Body, r.Remotes.DataFirst)
	if err != nil {
		return nil, err
	}
	return remote.Values(data, len(list), t.Path, t.Shape)
}
