package apply

import (
	"context"
	"encoding/json"
	"time"

	"queryengine/pkg/metadata"
	"queryengine/pkg/status"
)

// statusBodies are the operations on what runs.
var statusBodies = []served{
	serve((*work).status),
}

// status asks all services how they are. One that doesn't answer in time delays the answer by a second.
func (w *work) status(ctx context.Context, _ string, _ *metadata.GetStatus) (json.RawMessage, error) {
	instances, err := w.Statuses(ctx)
	if err != nil {
		return nil, err
	}
	health := w.SourceHealth()
	sources := []status.Database{}
	for _, s := range w.current.Document.Sources {
		one := status.Database{Name: s.Name, Kind: s.Kind, Inconsistent: w.current.SourceErrors[s.Name]}
		if report, checked := health[s.Name]; checked {
			if one.Health, err = json.Marshal(report); err != nil {
				return nil, err
			}
		}
		sources = append(sources, one)
	}
	return metadata.Encode(status.Answer{
		At: time.Now().UTC(), MetadataVersion: w.current.Version, Instances: instances, Sources: sources,
		OperationBounds: status.OperationBounds,
	})
}
