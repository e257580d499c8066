package bluesky

import (
	"encoding/json"
	"slices"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestVideosOfWhoMayPublishNone(t *testing.T) {
	for name, tt := range map[string]struct {
		handle   string
		settings string
		taken    bool // with the platform's limits
	}{
		"a confirmed account": {"alice.example.com", `{"videos":true}`, true},
		"one that is not":     {"unconfirmed.example.com", `{"videos":false}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			profile, err := s.connector.Check(t.Context(), s.account, schema.Credentials{Identifier: tt.handle, Password: password.Password})
			if err != nil || string(profile.Settings) != tt.settings {
				t.Fatalf("Check = %s, %v, want %s", profile.Settings, err, tt.settings)
			}
			account := schema.Account{Platform: schema.Bluesky, Settings: profile.Settings}
			takes := func() bool { return slices.Contains(Constraints().For(&account).Media.Kinds, schema.Video) }
			if !takes() {
				t.Error("the specification's limits take no video")
			}
			if account.Limits = schema.PlatformLimits; takes() != tt.taken {
				t.Errorf("the platform's limits take a video: %t, want %t", takes(), tt.taken)
			}
		})
	}
}

// What is used up of a day says nothing of the next.
func TestAnAllowanceThatIsUsedUp(t *testing.T) {
	for answer, want := range map[string]bool{
		`{"canUpload":true,"remainingDailyVideos":25}`:                             true,
		`{"canUpload":false,"remainingDailyVideos":0,"remainingDailyBytes":100}`:   true,
		`{"canUpload":false,"remainingDailyVideos":3,"remainingDailyBytes":0}`:     true,
		`{"canUpload":false,"error":"unconfirmed_email"}`:                          false,
		`{"canUpload":false,"remainingDailyVideos":25,"remainingDailyBytes":1000}`: false,
	} {
		var allowance uploadAllowance
		if err := json.Unmarshal([]byte(answer), &allowance); err != nil || allowance.mayPublish() != want {
			t.Errorf("%s: %t, %v, want %t", answer, allowance.mayPublish(), err, want)
		}
	}
}

// A service that does not answer keeps nobody from connecting.
func TestLimitsThatCannotBeRead(t *testing.T) {
	s := newStage(t)
	s.inject(t, simulation.Fault{Operation: uploadLimits, Status: 503})
	profile, err := s.connector.Check(t.Context(), s.account, password)
	if err != nil || profile.NativeID == "" || profile.Settings != nil {
		t.Errorf("Check = %+v, %v", profile, err)
	}
}
