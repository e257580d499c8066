package connectortest

import (
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// misanswering is what a connector makes of answers that are not the platform's.
func misanswering() []clause {
	return []clause{
		{"a strange answer to the visible call is unknown", nil, strangeAnswerIsUnknown},
		{"a strange answer to the look-up says nothing", looks, strangeLookUpSaysNothing},
		{"a strange answer to an upload is retryable", uploads, strangeUploadIsRetryable},
		{"a failing look-up says nothing", looks, failingLookUpSaysNothing},
	}
}

const page = "<!DOCTYPE html><html><head><title>Welcome</title></head><body>Please log in</body></html>"

// strangeAnswers are bodies that come with a good status from proxies, captive portals
// and servers that broke halfway.
var strangeAnswers = map[string]string{
	"a page":                page,
	"nothing":               "",
	"half a document":       `{"id":"12`,
	"another document":      `{"welcome":true}`,
	"a text":                `"ok"`,
	"null":                  "null",
	"more than is readable": `{"padding":"` + strings.Repeat("x", 2<<20) + `"}`,
}

func answered(operation, body string) simulation.Fault {
	return simulation.Fault{
		Operation: operation, Status: 200, Body: body,
		Header: map[string]string{"Content-Type": "application/json"},
	}
}

func strangeAnswerIsUnknown(t *testing.T, s *stage) {
	for name, body := range strangeAnswers {
		t.Run(name, func(t *testing.T) {
			s.restart()
			d := s.ready(t, "hello")
			s.inject(t, answered(s.fixture.Operations.Publish, body))
			_, err := s.connector.Publish(t.Context(), d)
			wantKind(t, err, schema.Unknown)
			s.wantFind(t, d, s.unseen())
		})
	}
	s.posts(t, 0)
}

func strangeLookUpSaysNothing(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("there"))
	for name, body := range strangeAnswers {
		t.Run(name, func(t *testing.T) {
			s.restart()
			s.inject(t, answered(s.fixture.Operations.Find, body))
			s.wantFind(t, d, schema.CannotTell)
		})
	}
	s.restart()
	s.wantFind(t, d, schema.Found)
}

func failingLookUpSaysNothing(t *testing.T, s *stage) {
	d := s.lose(t, s.delivery("there"))
	find := s.fixture.Operations.Find
	for name, fault := range map[string]simulation.Fault{
		"a server error":           {Operation: find, Status: 500},
		"an outage":                {Operation: find, Status: 503},
		"a rate limit":             {Operation: find, Status: 429},
		"dead credentials":         {Operation: find, Status: 401, Times: 3},
		"a proxy's page not found": {Operation: find, Status: 404, Body: page},
		"a proxy's refusal":        {Operation: find, Status: 400, Body: page},
		"a lost answer":            {Operation: find, Lose: true, Times: 3},
		"no answer":                {Operation: find, Refuse: true, Times: 3},
	} {
		t.Run(name, func(t *testing.T) {
			s.restart()
			s.inject(t, fault)
			s.wantFind(t, d, schema.CannotTell)
			s.world.Heal()
		})
	}
	s.restart()
	s.wantFind(t, d, schema.Found)
}

func strangeUploadIsRetryable(t *testing.T, s *stage) {
	for name, body := range strangeAnswers {
		t.Run(name, func(t *testing.T) {
			s.restart()
			s.inject(t, answered(s.fixture.Operations.Upload, body))
			_, err := s.prepare(t, s.delivery("look", s.image()))
			wantKind(t, err, schema.Retryable)
		})
	}
	s.publish(t, s.delivery("look", s.image()))
	s.posts(t, 1)
}
