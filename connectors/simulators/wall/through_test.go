package wall_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/simulators/wall"
	"crier/schema"
)

// abilities are the optional interfaces of connectors.
var abilities = map[string]func(connectors.Connector) bool{
	"Authorizer": able[connectors.Authorizer], "Checker": able[connectors.Checker], "CommentSource": able[connectors.CommentSource],
	"EntitySource": able[connectors.EntitySource], "FeedSearcher": able[connectors.FeedSearcher], "FollowersSource": able[connectors.FollowersSource],
	"MentionSource": able[connectors.MentionSource], "MetricsSource": able[connectors.MetricsSource], "Notifier": able[connectors.Notifier],
	"PersonCaller": able[connectors.PersonCaller], "ProfileReader": able[connectors.ProfileReader], "Refresher": able[connectors.Refresher],
	"Replier": able[connectors.Replier], "RetentionSource": able[connectors.RetentionSource], "Reviewer": able[connectors.Reviewer],
	"Revoker": able[connectors.Revoker], "Scoped": able[connectors.Scoped], "TranscriptSource": able[connectors.TranscriptSource],
}

func able[Ability any](c connectors.Connector) bool {
	_, ok := connectors.Able[Ability](c)
	return ok
}

func TestThroughHasTheAbilitiesOfEachPlatform(t *testing.T) {
	platforms, err := catalog.New(catalog.Config{
		HTTP: http.DefaultClient, SandboxHTTP: http.DefaultClient, SandboxURL: "http://sandbox.test", Logger: slog.New(slog.DiscardHandler),
		Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string]int{}
	for _, simulator := range catalog.Simulators() {
		account := schema.Account{Workspace: schema.NewID[schema.WorkspaceID](noon), Platform: simulator.Platform, Sandbox: true}
		inside, err := platforms.Connector(account)
		if err != nil {
			t.Fatal(err)
		}
		through := wall.Through(inside, wall.NewAddresses([]byte("secret")), "http://crier.test", account)
		for name, has := range abilities {
			if has(through) != has(inside) {
				t.Errorf("%s: %s is %t, and %t through the wall", simulator.Platform, name, has(inside), has(through))
			}
			if has(inside) {
				offered[name]++
			}
		}
	}
	for name := range abilities {
		if offered[name] == 0 {
			t.Errorf("no platform offers %s", name)
		}
	}
}
