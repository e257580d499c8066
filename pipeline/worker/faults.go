package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/guard"
)

// FaultStore stores the faults of stages: failures of crier's own.
type FaultStore interface {
	// Fault notes a fault and gives the claim back; dead means that it is a dead letter
	// now, which only a replay brings back.
	Fault(ctx context.Context, f schema.Fault) (dead bool, err error)
}

// Unreadable returns the fault of a message that cannot be decoded. Trying it again is of no
// use: its job or its row of the outbox, if there is one, sends a readable one.
func Unreadable(stage string, m *stream.Message, err error) schema.Fault {
	f := schema.Fault{
		Stage: stage, Reason: fmt.Sprintf("reading the message: %v", err), Tries: 1,
		Message: schema.LogMessage{Topic: m.Topic, Partition: m.Partition, Key: m.Key, Value: m.Value},
	}
	if m.Topic == schema.TopicEvents && len(m.Key) == len(f.Subject.ID) {
		f.Subject.ID = [16]byte(m.Key)
	}
	return f
}

// Note stores a fault, and tries again for as long as the database does not answer; false
// means that ctx ended first.
func Note(ctx context.Context, store FaultStore, logger *slog.Logger, f schema.Fault) (noted bool) {
	var dead bool
	err := Retry(ctx, logger, "noting a fault", func() (err error) {
		dead, err = store.Fault(ctx, f)
		return err
	})
	switch {
	case err == nil:
		logger.ErrorContext(ctx, "a stage failed by a fault of crier's own", "stage", f.Stage, "dead", dead, "err", f.Reason)
	case Ended(ctx, err):
		return false
	default: // it would block all others; its job fires again
		logger.ErrorContext(ctx, "a fault could not be noted", "stage", f.Stage, "fault", f.Reason, "err", err)
	}
	return true
}

// Encode is for schema's own payloads, whose encoding cannot fail.
func Encode(payload any) []byte {
	value, err := json.Marshal(payload)
	if err != nil {
		panic("encoding a message: " + err.Error())
	}
	return value
}

// Decode reads a payload, as Encode made it, and checks it. Each batch of events is read by two
// consumers: the newer package takes a third of the time that encoding/json does.
func Decode[T interface{ Check() error }](value []byte) (payload T, err error) {
	err = guard.Do(func() error {
		return jsonv2.Unmarshal(value, &payload, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	})
	if err == nil {
		err = payload.Check()
	}
	return payload, err
}
