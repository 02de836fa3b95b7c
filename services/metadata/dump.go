package metadata

import (
	"bufio"
	"context"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	metadatav1 "queryengine/proto/metadata/v1"
	"queryengine/services/metadata/internal/dump"
)

// heldBack is how much of a dump is made before any of it is sent, so that one that fails
// early fails with an error.
const heldBack = 256 << 10

// dump answers with the schema of a source as SQL.
func (s *Service) dump(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*metadatav1.DumpRequest)
	if !ok {
		return apierror.Newf(apierror.Unexpected, "unexpected message %T", m)
	}
	var request dump.Request
	if err := metadata.Decode(in.GetBody(), &request); err != nil {
		return err
	}
	dumper, release, err := s.dumper(request.Source)
	if err != nil {
		return err
	}
	defer release()
	w.SetHead(&metadatav1.DumpHead{})
	out := bufio.NewWriterSize(w, heldBack)
	if !request.Clean {
		if err := dumper.Dump(ctx, request.Options, out); err != nil {
			return err
		}
		return out.Flush()
	}
	cleaner := &dump.Cleaner{W: out}
	if err := dumper.Dump(ctx, request.Options, cleaner); err != nil {
		return err
	}
	if err := cleaner.Flush(); err != nil {
		return err
	}
	return out.Flush()
}

// dumper opens the source of that name, when it can be dumped; the caller releases it.
func (s *Service) dumper(name string) (dumper backend.Dumper, release func(), err error) {
	missing := apierror.Newf(apierror.NotFound, "source \"%s\" not found", name)
	found := s.engine.State().Document.Source(name)
	if found == nil {
		return nil, nil, missing
	}
	source, err := s.sources.Use(found)
	if err != nil {
		return nil, nil, err
	}
	dumper, ok := source.Source.(backend.Dumper)
	if !ok {
		source.Release()
		return nil, nil, missing
	}
	return dumper, source.Release, nil
}
