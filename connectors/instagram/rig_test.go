package instagram

import (
	"testing"

	"crier/connectors/simulators/graphtest"
	simulator "crier/connectors/simulators/instagram"
)

const token = "IGAA-token-of-the-account"

// rig is a connector before a simulator.
type rig struct {
	*Connector
	*graphtest.Subject
}

func newRig(t *testing.T) *rig {
	t.Helper()
	subject := graphtest.NewSubject(t, graphtest.Config{Description: Describe(), Simulator: simulator.New, Pictures: "image/jpeg", Token: token})
	r := &rig{subject.Connector.(*Connector), subject}
	subject.Tokens = &r.Connector.Connector
	return r
}

func subject(t *testing.T) *graphtest.Subject { return newRig(t).Subject }

// storedFields is what the simulator stores of a post beside what every post has.
type storedFields struct {
	Kind, Location, ShareToFeed, Cover, ThumbOffset, AudioName string
	Collaborators                                              []string
	UserTags                                                   []userTag
	Trial                                                      map[string]string
}
