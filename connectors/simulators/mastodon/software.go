package mastodon

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

// software is what the server is of a call.
type software int

const (
	mastodonItself software = iota
	goToSocial
	goToSocialMarkdown // accounts' default content type is Markdown
	pixelfed
)

// Paths under which the simulator is another server than Mastodon, with the same accounts: GoToSocial 0.20
// as it was built and asked in November 2026, and Pixelfed by its source.
const (
	GoToSocial         = "/gotosocial"
	GoToSocialMarkdown = "/gotosocial-markdown"
	Pixelfed           = "/pixelfed"
)

type softwareKey struct{}

// bySoftware has a call served as by the server under whose path it comes.
func bySoftware(next http.Handler) http.Handler {
	serve := func(prefix string, s software) http.Handler {
		return http.StripPrefix(prefix, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), softwareKey{}, s)))
		}))
	}
	mux := http.NewServeMux()
	mux.Handle(GoToSocial+"/", serve(GoToSocial, goToSocial))
	mux.Handle(GoToSocialMarkdown+"/", serve(GoToSocialMarkdown, goToSocialMarkdown))
	mux.Handle(Pixelfed+"/", serve(Pixelfed, pixelfed))
	mux.Handle("/", next)
	return mux
}

func softwareOf(r *http.Request) software {
	s, _ := r.Context().Value(softwareKey{}).(software)
	return s
}

func (s software) isGoToSocial() bool { return s == goToSocial || s == goToSocialMarkdown }

// contentType is how the server reads a text that is asked to be of a type.
func (s software) contentType(contentType string) string {
	switch {
	case !s.isGoToSocial():
		return ""
	case contentType != "":
		return contentType
	case s == goToSocialMarkdown:
		return typeMarkdown
	default:
		return typePlain
	}
}

// checkAsGoToSocial is validateStatusContent of its internal/processing/status/common.go: code points of
// text and warning together, with links and mentions in full.
func (s *simulator) checkAsGoToSocial(input newStatus) error {
	characters := utf8.RuneCountInString(input.Status) + utf8.RuneCountInString(input.SpoilerText)
	bad := func(message string) error { return &refusal{http.StatusBadRequest, "Bad Request: " + message} }
	switch {
	case characters == 0 && len(input.MediaIDs) == 0 && input.Poll == nil:
		return bad("status contains no text, media or poll")
	case characters > s.takes().Text:
		return bad("text with spoiler exceed max chars (" + strconv.Itoa(s.takes().Text) + ")")
	case input.ContentType != "" && input.ContentType != typePlain && input.ContentType != typeMarkdown:
		return bad("invalid status format")
	}
	return nil
}

// Hide has GoToSocial apply a filter of an account to what it shows that account, its own list included
// (internal/processing/account/statuses.go).
func Hide(w *simulation.World, account, phrase string) { w.Data.Store(hiddenData+account, phrase) }

const hiddenData = "hidden "

func (s *simulator) hides(v visit, p simulation.Post) bool {
	phrase, ok := s.world.Data.Load(hiddenData + v.account.ID)
	return ok && softwareOf(v.r).isGoToSocial() && strings.Contains(strings.ToLower(p.Text), strings.ToLower(phrase.(string)))
}
