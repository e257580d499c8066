package analytics

import (
	"context"
	"encoding/json"
	"errors"

	"crier/schema"
)

func isUnavailable(err error) bool { return schema.KindOf(err) == schema.Unavailable }

// refusalOf describes the events of a batch that ClickHouse refuses.
func refusalOf(b schema.EventBatch, err error) schema.Fault {
	for i := range b.Events {
		b.Events[i].Position = 0
	}
	value, encoding := json.Marshal(b)
	return schema.Fault{
		Stage: schema.StageAnalytics, Subject: schema.Subject{ID: b.ID}, Reason: errors.Join(err, encoding).Error(), Tries: 1,
		Message: schema.LogMessage{Topic: schema.TopicEvents, Key: b.ID[:], Value: value},
	}
}

// note stores a fault; false means that ctx ended first.
func (s *Sink) note(ctx context.Context, f schema.Fault) bool {
	var dead bool
	err := s.retry(ctx, "noting a fault failed", isUnavailable, func(ctx context.Context) (err error) {
		dead, err = s.Outbox.Fault(ctx, f)
		return err
	})
	if ctx.Err() != nil {
		return false
	}
	if err != nil { // go on all the same: the outbox sends the batch again
		s.Logger.ErrorContext(ctx, "a fault could not be noted", "fault", f.Reason, "err", err)
		return true
	}
	s.Logger.ErrorContext(ctx, "events failed by a fault of crier's own", "dead", dead, "err", f.Reason)
	return true
}
