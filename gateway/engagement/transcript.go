package engagement

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// transcriptTimeout is how long a platform may take: less than a request.
const transcriptTimeout = 12 * time.Second

type transcriptView struct {
	VideoID     string    `json:"videoId"`
	Language    string    `json:"language"`
	IsAutomatic bool      `json:"isAutomatic"`
	Languages   []string  `json:"languages"`
	Cues        []cueView `json:"cues"`
	Text        string    `json:"text"`
}

// cueView is a part of a transcript; its times are seconds from the beginning.
type cueView struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

var (
	videoPattern    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	languagePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
)

// transcript answers with what is spoken in a video of an account, as its platform has it.
func (e *engagement) transcript(c *gin.Context) error {
	q := body.NewQuery(c)
	id := body.QueryID(q, "accountId", schema.ParseID[schema.AccountID])
	video, _ := q.Word("videoId")
	language, _ := q.Word("language")
	for name, missing := range map[string]bool{"accountId": id.IsZero(), "videoId": video == ""} {
		if missing && !q.Report.About(name) {
			q.Report.Fail(name, body.CodeRequired, "this parameter is required")
		}
	}
	if video != "" && !videoPattern.MatchString(video) {
		q.Report.Fail("videoId", body.CodeInvalidValue, "must be the id of a video on its platform")
	}
	if language != "" && !languagePattern.MatchString(language) {
		q.Report.Fail("language", body.CodeInvalidValue, "must be a language tag such as en or pt-BR")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	account, err := e.account(c, id)
	if err != nil {
		return err
	}
	read, err := e.readTranscript(c.Request.Context(), *account, video, language)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "transcript", viewTranscript(video, read), q.Report.Warnings)
}

func (e *engagement) readTranscript(ctx context.Context, account schema.Account, video, language string) (connectors.Transcript, error) {
	source, err := connectors.As[connectors.TranscriptSource](e.Platforms, account)
	if err != nil {
		return connectors.Transcript{}, &schema.Error{Kind: schema.InvalidState, Message: account.Platform.String() + " has no transcripts"}
	}
	if account.Problem() != nil {
		return connectors.Transcript{}, &schema.Error{Kind: schema.InvalidState, Message: "the account must be connected again first"}
	}
	credentials, err := e.Vault.Open(account)
	if err != nil {
		return connectors.Transcript{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, transcriptTimeout)
	defer cancel()
	read, err := source.Transcript(ctx, connectors.Reading{Account: account, Credentials: credentials}, video, language)
	return read, ofPlatform(err)
}

// ofPlatform turns what a platform refuses into what the API answers.
func ofPlatform(err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind < schema.Refused {
		return err
	}
	switch e.Kind {
	case schema.Refused, schema.TokenDead, schema.Duplicate:
		return &schema.Error{Kind: schema.InvalidState, Message: "the platform refused: " + e.Message, Err: err}
	default:
		return &schema.Error{Kind: schema.Unavailable, Message: "the platform cannot be asked at the moment", RetryAfter: e.RetryAfter, Err: err}
	}
}

func viewTranscript(video string, t connectors.Transcript) transcriptView {
	v := transcriptView{VideoID: video, Language: t.Language, IsAutomatic: t.Automatic, Languages: t.Languages, Cues: make([]cueView, len(t.Cues))}
	for i, cue := range t.Cues {
		v.Cues[i] = cueView{float64(cue.Start) / 1000, float64(cue.End) / 1000, cue.Text}
		if i > 0 {
			v.Text += "\n"
		}
		v.Text += cue.Text
	}
	if v.Languages == nil {
		v.Languages = []string{}
	}
	return v
}
