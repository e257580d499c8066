package bluesky

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// films opens every item as a video of a type and a length.
type films struct {
	dir      string
	mimeType string
	length   time.Duration
}

func (f films) Open(context.Context, schema.Media) (*media.File, error) {
	path := filepath.Join(f.dir, "film")
	head := map[string]string{"video/quicktime": "\x00\x00\x00\x10ftypqt  \x00\x00\x00\x00", "video/webm": "\x1a\x45\xdf\xa3"}[f.mimeType]
	content := append([]byte(cmp.Or(head, "\x00\x00\x00\x10ftypmp42\x00\x00\x00\x00")), make([]byte, 1000)...)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return nil, err
	}
	return &media.File{Path: path, MediaFacts: schema.MediaFacts{
		Size: int64(len(content)), Type: f.mimeType, Kind: schema.Video, Width: 640, Height: 360, Duration: f.length,
	}}, nil
}

func newFilmStage(t *testing.T) *stage {
	s := newStage(t)
	s.connector.media = films{t.TempDir(), mp4, 5 * time.Second}
	return s
}

var film = schema.Media{Kind: schema.Video, URL: "film", AltText: "a film"}

// prepare prepares until ready.
func (s *stage) prepare(t *testing.T, d *schema.Delivery) {
	t.Helper()
	for {
		progress, err := s.connector.Prepare(t.Context(), *d)
		if err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		d.Progress = progress.State
		if progress.Ready {
			return
		}
		s.advance(progress.RetryIn)
	}
}

func TestVideoGoesThroughTheVideoService(t *testing.T) {
	s := newFilmStage(t)
	d := s.delivery("look", film)
	s.prepare(t, &d)
	s.publish(t, d)
	embed := record(t, s.wantPosts(t, 1)[0]).Embed
	if embed.Type != videoEmbed || embed.Alt != "a film" || *embed.Aspect != (aspectRatio{Width: 640, Height: 360}) {
		t.Errorf("embed = %+v", embed)
	}
	s.wantCalls(t, uploadVideo, 1)
	s.wantCalls(t, uploadBlob, 0)
}

// Phones record MOV, and browsers WebM.
func TestTheVideoServiceTakesOtherFilms(t *testing.T) {
	for _, mimeType := range []string{"video/quicktime", "video/webm"} {
		s := newFilmStage(t)
		s.connector.media = films{t.TempDir(), mimeType, 5 * time.Second}
		d := s.delivery("look", film)
		s.prepare(t, &d)
		s.publish(t, d)
		if embed := record(t, s.wantPosts(t, 1)[0]).Embed; embed.Type != videoEmbed || !bytes.Contains(embed.Video, []byte(mp4)) {
			t.Errorf("%s: embed = %s, %s", mimeType, embed.Type, embed.Video)
		}
	}
}

func TestVideoTheServiceKnowsIsUsedAgain(t *testing.T) {
	s := newFilmStage(t)
	for range 2 {
		d := s.delivery("look", film)
		s.prepare(t, &d)
		s.publish(t, d)
	}
	s.wantPosts(t, 2)
}

func TestVideoWhoseUploadWasLost(t *testing.T) {
	s := newFilmStage(t)
	s.inject(t, simulation.Fault{Operation: uploadVideo, Lose: true})
	d := s.delivery("look", film)
	_, err := s.connector.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	s.prepare(t, &d)
	s.publish(t, d)
}

func TestVideoThatFailedInPassingIsUploadedAgain(t *testing.T) {
	for name, fault := range map[string]simulation.Fault{
		"a failure of the service": jobAnswer(`{"jobStatus": {"jobId": "j", "state": "JOB_STATE_FAILED", "failureCode": "pds_upload_failure"}}`),
		"a job without a blob":     jobAnswer(`{"jobStatus": {"jobId": "j", "state": "JOB_STATE_COMPLETED"}}`),
		"a job nobody knows":       {Operation: getJobStatus, Status: http.StatusNotFound, Body: `{"error": "NotFound", "message": "no job"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFilmStage(t)
			d := s.delivery("look", film)
			progress, err := s.connector.Prepare(t.Context(), d)
			if err != nil || progress.Ready {
				t.Fatalf("Prepare = %+v, %v", progress, err)
			}
			d.Progress = progress.State
			s.inject(t, fault)
			progress, err = s.connector.Prepare(t.Context(), d)
			connectortest.WantKind(t, err, schema.Retryable)
			d.Progress = progress.State
			s.prepare(t, &d)
			s.publish(t, d)
			s.wantCalls(t, uploadVideo, 2)
		})
	}
}

func TestVideoThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		media films
		items []schema.Media
		fault simulation.Fault // of the upload
		want  schema.ErrorKind
	}{
		"too long":           {films{mimeType: mp4, length: time.Minute + time.Second}, []schema.Media{film}, simulation.Fault{}, schema.Refused},
		"no film it takes":   {films{mimeType: "video/x-msvideo", length: time.Second}, []schema.Media{film}, simulation.Fault{}, schema.Refused},
		"beside another":     {films{mimeType: mp4, length: time.Second}, []schema.Media{film, film}, simulation.Fault{}, schema.Refused},
		"e-mail unconfirmed": {films{mimeType: mp4}, []schema.Media{film}, uploadAnswer(http.StatusOK, `{"jobStatus": {"jobId": "", "did": "", "state": "", "error": "unconfirmed_email"}}`), schema.Refused},
		"a dead token of the service is not the account's": {films{mimeType: mp4}, []schema.Media{film}, uploadAnswer(http.StatusUnauthorized, `{"error": "BadJwt"}`), schema.Retryable},
		"a page": {films{mimeType: mp4}, []schema.Media{film}, uploadAnswer(http.StatusOK, "<html>"), schema.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			tt.media.dir = t.TempDir()
			s.connector.media = tt.media
			if tt.fault.Status != 0 {
				s.inject(t, tt.fault)
			}
			_, err := s.connector.Prepare(t.Context(), s.delivery("look", tt.items...))
			connectortest.WantKind(t, err, tt.want)
		})
	}
}

func uploadAnswer(status int, body string) simulation.Fault {
	return simulation.Fault{Operation: uploadVideo, Status: status, Body: body}
}

func TestServiceDID(t *testing.T) {
	for name, tt := range map[string]struct{ server, want string }{
		"a host":     {"https://pds.example.com", "did:web:pds.example.com"},
		"a port":     {"http://127.0.0.1:8090/bluesky", "did:web:127.0.0.1%3A8090"},
		"no address": {"://", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := serviceDID(tt.server); got != tt.want {
				t.Errorf("serviceDID = %q, want %q", got, tt.want)
			}
		})
	}
}

// Videos that are too many for a day wait: the same video is taken on the next.
func TestAVideoWaitsForTheNextDay(t *testing.T) {
	s := newFilmStage(t)
	d := s.delivery("look", film)
	d.Credentials.Identifier = "used-up.example.com"
	_, err := s.connector.Prepare(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter != dayWait {
		t.Errorf("waits %v", e.RetryAfter)
	}
	text := s.delivery("look")
	text.Credentials = d.Credentials
	s.publish(t, text)
}
