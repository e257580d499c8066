package telegram_test

import (
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Each way to send is one call, which makes the message. Where its answer is lost nobody can tell
// whether it did.
func TestALostAnswerOfEachCall(t *testing.T) {
	for method, files := range map[string][]string{
		"sendMessage": nil, "sendPhoto": {"dot.jpg"}, "sendVideo": {"clip.mp4"}, "sendMediaGroup": {"dot.png", "clip.mp4"},
	} {
		for name, fault := range map[string]simulation.Fault{"answer lost": {Lose: true}, "never arrived": {Refuse: true}} {
			t.Run(method+" "+name, func(t *testing.T) {
				s := newStage(t)
				d := s.delivery("once")
				for _, file := range files {
					d.Media = append(d.Media, s.item(file))
				}
				fault.Operation = method
				if err := s.world.Inject(fault); err != nil {
					t.Fatal(err)
				}
				_, err := s.connector.Publish(t.Context(), d)
				connectortest.WantKind(t, err, schema.Unknown)
				if got := len(s.world.Posts()); (got > 0) != fault.Lose {
					t.Errorf("%d messages are there", got)
				}
				if _, verdict, err := s.connector.Find(t.Context(), d); verdict != schema.CannotTell || err != nil {
					t.Errorf("Find = %v, %v", verdict, err)
				}
			})
		}
	}
}
