package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"crier/pipeline/stream"
	"crier/schema"
)

// guarded turns a panic into an error: what one event makes of us must not end the process,
// which would start again and meet it again.
func guarded(work func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return work()
}

func isUnavailable(err error) bool {
	e, ok := errors.AsType[*schema.Error](err)
	return ok && e.Kind == schema.Unavailable
}

// faultOf is a message that makes no sense. Its key says which row of the outbox sends it.
func faultOf(m *stream.Message, err error) schema.Fault {
	f := schema.Fault{
		Stage: schema.StageAnalytics, Reason: fmt.Sprintf("reading the message: %v", err), Tries: 1,
		Message: schema.LogMessage{Topic: m.Topic, Partition: m.Partition, Key: m.Key, Value: m.Value},
	}
	if len(m.Key) == len(f.Subject.ID) {
		f.Subject.ID = [16]byte(m.Key)
	}
	return f
}

// refusalOf is what ClickHouse does not take of a batch.
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

// note has a fault noted; false means that ctx ended before.
func (s *Sink) note(ctx context.Context, f schema.Fault) bool {
	var dead bool
	err := s.patiently(ctx, "noting a fault failed", isUnavailable, func(ctx context.Context) (err error) {
		dead, err = s.marks.Fault(ctx, f)
		return err
	})
	if ctx.Err() != nil {
		return false
	}
	if err != nil { // it would hold up all others; the outbox keeps it in sight
		s.logger.ErrorContext(ctx, "a fault could not be noted", "fault", f.Reason, "err", err)
		return true
	}
	s.logger.ErrorContext(ctx, "events failed by a fault of crier's own", "dead", dead, "err", f.Reason)
	return true
}
