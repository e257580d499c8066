package threads

import (
	"testing"

	"crier/connectors/simulators/graphtest"
	simulator "crier/connectors/simulators/threads"
)

const token = "THAA-token-of-the-profile"

// rig is a connector before a simulator.
type rig struct {
	*Connector
	*graphtest.Subject
}

func newRig(t *testing.T) *rig {
	t.Helper()
	subject := graphtest.NewSubject(t, graphtest.Config{Description: Describe(), Simulator: simulator.New, Pictures: "image/png", Token: token})
	r := &rig{subject.Connector.(*Connector), subject}
	subject.Tokens = &r.Connector.Connector
	return r
}

func subject(t *testing.T) *graphtest.Subject { return newRig(t).Subject }

// storedFields is what the simulator stores of a post beside what every post has.
type storedFields struct {
	Kind, ReplyControl, Topic, Link, Quotes string
	Poll                                    map[string]string
}
