package eventdelivery

import (
	"queryengine/pkg/action"
	"queryengine/pkg/bus"
	"queryengine/pkg/egress"
	"queryengine/pkg/extension"
	"queryengine/pkg/logtype"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	actionv1 "queryengine/proto/action/v1"
	"queryengine/services/event-delivery/internal/actionlog"
)

// requests bounds the pending requests about calls of asynchronous actions.
const requests = 1000

// register adds the handlers of requests.
func (s *Service) register(r *bus.Service) error {
	if s.readers != nil {
		if err := s.readers.Register(r); err != nil {
			return err
		}
	}
	if s.calls == nil {
		return nil
	}
	e := actionlog.Endpoints{Log: s.calls, Added: s.caller.Wake}
	return e.Register(r)
}

func (s *Service) wireCalls(d Deps) error {
	var err error
	if s.calls, err = actionlog.Open(s.config.MetadataURL); err != nil {
		return err
	}
	client := action.NewClient(s.client, d.Env, telemetry.Of(d.Logger, logtype.ActionHandler), d.Metrics)
	if s.config.HideBodies {
		client.HideBodies()
	}
	if s.config.RedactActions {
		client.Redact()
	}
	s.caller = actionlog.New(actionlog.Config{
		Log:      s.calls,
		Client:   client,
		Logger:   d.Logger,
		Interval: s.config.ActionInterval, Batch: s.config.ActionBatch, Concurrency: s.config.Concurrency,
		Await: s.await,
		Lacks: func(a *metadata.Action) bool {
			address, err := metadata.Expand(a.Definition.Handler, d.Env)
			return err == nil && d.Code.Fault(extension.Action, address) != ""
		},
		Tracer: d.Tracing.Tracer("queryengine/services/event-delivery"),
		Ended: func(ids ...string) {
			if err := d.Bus.Publish(bus.ActionsEnded, &actionv1.Finished{Ids: ids}); err != nil {
				d.Logger.Warn("no notifications of asynchronous action calls; clients have to poll", "error", err)
			}
		},
	})
	s.Follower().Watch(s.followActions)
	return nil
}

// followActions applies the actions of a version of the metadata.
func (s *Service) followActions(current *snapshot.Snapshot) {
	hosts, err := egress.Allowlist(current.Document.Network)
	if err != nil {
		s.logger.Warn("TLS allow list in the metadata is unreadable", "error", err)
	} else {
		s.client.SetAllowlist(hosts)
	}
	s.caller.Follow(current)
}
