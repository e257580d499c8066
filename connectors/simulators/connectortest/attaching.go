package connectortest

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// attaching is how a connector handles media that goes wrong.
func attaching() []clause {
	return []clause{
		{"an upload whose answer was lost is repeated", uploads, lostUploadIsRepeated},
		{"media that is processed is waited for without uploading it again", processes, processingIsWaitedFor},
		{"media that cannot be processed is refused", processes, failedProcessingIsRefused},
		{"media over the limit is refused before any call", boundsImages, largeImageIsRefused},
		{"what is no media is refused", takesImage, pageIsRefused},
		{"media that is not there is refused", takesImage, missingIsRefused},
		{"media whose server fails is retryable", takesImage, failingMediaServerIsRetryable},
		{"media whose name has come to lead to a private address is refused", takesImage, reboundMediaIsRefused},
		{"media that redirects to a private address is refused", takesImage, redirectedMediaIsRefused},
	}
}

func lostUploadIsRepeated(t *testing.T, s *stage) {
	d := s.delivery("look", s.image())
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Upload, Lose: true})
	d, err := s.prepare(t, d)
	wantKind(t, err, schema.Retryable)
	s.publish(t, d)
	if post := s.posts(t, 1)[0]; len(post.Media) != 1 {
		t.Errorf("the post has %d media items, want 1", len(post.Media))
	}
}

func processingIsWaitedFor(t *testing.T, s *stage) {
	processing := s.fixture.Processing
	s.inject(t, processing.Busy)
	d := s.delivery("look", s.mediaOf(processing.Kind))
	waits := 0
	for progress := (schema.Progress{}); !progress.Ready; waits++ {
		var err error
		if progress, err = s.connector.Prepare(t.Context(), d); err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		if !progress.Ready && progress.RetryIn <= 0 {
			t.Fatal("Prepare is not ready and does not say when to come again")
		}
		if waits > maxLooks {
			t.Fatal("Prepare is never ready")
		}
		d.Progress = progress.State
		s.clock.advance(progress.RetryIn)
	}
	if waits < 2 {
		t.Error("Prepare was ready at once")
	}
	if _, err := s.connector.Publish(t.Context(), d); err != nil {
		t.Fatalf("Publish: %v", err)
	}
	if post := s.posts(t, 1)[0]; len(post.Media) != 1 {
		t.Errorf("the post has %d media items, want 1", len(post.Media))
	}
	fetches := 1
	if s.fixture.Pulls { // once by the platform, once by crier, which checks what it points to
		fetches = 2
	}
	if fetched := len(s.files.requests()); fetched != fetches {
		t.Errorf("the media was fetched %d times", fetched)
	}
}

func failedProcessingIsRefused(t *testing.T, s *stage) {
	s.inject(t, s.fixture.Processing.Failed)
	_, err := s.prepare(t, s.delivery("look", s.mediaOf(s.fixture.Processing.Kind)))
	wantKind(t, err, schema.Refused)
	s.posts(t, 0)
}

func largeImageIsRefused(t *testing.T, s *stage) {
	size := s.fixture.Constraints.Media.MaxImageBytes + 1
	large := s.files.item(schema.Image, "/large/"+strconv.FormatInt(size, 10))
	s.wantRefused(t, large)
}

func pageIsRefused(t *testing.T, s *stage) {
	s.wantRefused(t, s.files.item(schema.Image, "/page.html"))
}

func missingIsRefused(t *testing.T, s *stage) {
	s.wantRefused(t, s.files.item(schema.Image, "/missing.png"))
}

func failingMediaServerIsRetryable(t *testing.T, s *stage) {
	d := s.delivery("look", s.image())
	s.files.failWith(503)
	_, err := s.try(t, d)
	wantKind(t, err, schema.Retryable)
	s.wantUntouched(t)
	s.files.failWith(0)
	s.publish(t, d)
}

const (
	// reboundName leads to this machine when it is first looked up, as a public name would
	// to its server, and to privateAddress from then on.
	reboundName    = "rebound.example"
	privateAddress = "10.0.0.1"
)

// resolver is the system's except for reboundName.
type resolver struct{ lookups atomic.Int32 }

func (r *resolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	switch {
	case host != reboundName:
		return net.DefaultResolver.LookupNetIP(ctx, network, host)
	case r.lookups.Add(1) == 1:
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	default:
		return []netip.Addr{netip.MustParseAddr(privateAddress)}, nil
	}
}

// reboundMediaIsRefused has an attacker's name server answer with a public address when the
// post is created and with a private one when it is published.
func reboundMediaIsRefused(t *testing.T, s *stage) {
	item := s.image()
	item.URL = strings.Replace(item.URL, "127.0.0.1", reboundName, 1)
	if err := s.guard.CheckURL(t.Context(), item.URL); err != nil {
		t.Fatalf("the check when the post is created: %v", err)
	}
	s.wantRefused(t, item)
}

func redirectedMediaIsRefused(t *testing.T, s *stage) {
	s.wantRefused(t, s.files.item(schema.Image, "/private.png"))
}

// wantRefused checks that media is refused before the platform is called.
func (s *stage) wantRefused(t *testing.T, item schema.Media) {
	t.Helper()
	_, err := s.try(t, s.delivery("look", item))
	wantKind(t, err, schema.Refused)
	s.wantUntouched(t)
}

// wantUntouched checks that the platform was not called.
func (s *stage) wantUntouched(t *testing.T) {
	t.Helper()
	if calls := s.calls.Load(); calls != 0 {
		t.Errorf("%d calls to the platform", calls)
	}
	s.posts(t, 0)
}
