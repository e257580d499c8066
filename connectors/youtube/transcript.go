package youtube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crier/connectors"
	"crier/schema"
)

const (
	opCaptions = "captions.list"
	opDownload = "captions.download"
)

// captionTrack is what a list has of the captions of a video in one language.
type captionTrack struct {
	ID      string `json:"id"`
	Snippet struct {
		Language string `json:"language"`
		Kind     string `json:"trackKind"` // standard, asr (speech recognition) or forced, in either case
		IsDraft  bool   `json:"isDraft"`
		Status   string `json:"status"` // serving, syncing or failed
	} `json:"snippet"`
}

func (t captionTrack) isAutomatic() bool { return strings.EqualFold(t.Snippet.Kind, "asr") }

// Transcript reads the captions of a video of the channel: those of a person before those of
// speech recognition.
func (c *Connector) Transcript(ctx context.Context, r connectors.Reading, video, language string) (connectors.Transcript, error) {
	d := schema.Delivery{Account: r.Account, Credentials: r.Credentials}
	call := c.read(d, "captions", opCaptions, "snippet")
	call.Query.Set("videoId", video)
	call.Reservation, call.Kind = r.Reservation, connectors.Read
	read, response, err := readList[captionTrack](ctx, c, d, call, "captions")
	if response != nil && response.Status == http.StatusNotFound {
		return connectors.Transcript{}, &schema.Error{Kind: schema.NotFound, Message: "the channel has no such video"}
	}
	if err != nil {
		return connectors.Transcript{}, err
	}
	tracks := slices.DeleteFunc(read.Items, func(t captionTrack) bool {
		return t.ID == "" || t.Snippet.IsDraft || t.Snippet.Status != "" && t.Snippet.Status != "serving"
	})
	slices.SortStableFunc(tracks, func(a, b captionTrack) int { return order(a.isAutomatic()) - order(b.isAutomatic()) })
	var languages []string
	chosen := -1
	for i, t := range tracks {
		if !slices.Contains(languages, t.Snippet.Language) {
			languages = append(languages, t.Snippet.Language)
		}
		if chosen < 0 && (language == "" || strings.EqualFold(t.Snippet.Language, language)) {
			chosen = i
		}
	}
	if chosen < 0 {
		return connectors.Transcript{}, &schema.Error{Kind: schema.NotFound, Message: "the video has no captions in that language"}
	}
	cues, err := c.cues(ctx, d, tracks[chosen].ID)
	return connectors.Transcript{
		Language: tracks[chosen].Snippet.Language, Automatic: tracks[chosen].isAutomatic(), Languages: languages, Cues: cues,
	}, err
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// cues downloads captions as SubRip.
func (c *Connector) cues(ctx context.Context, d schema.Delivery, track string) ([]connectors.Cue, error) {
	call := c.read(d, "captions/"+url.PathEscape(track), opDownload)
	call.Query.Set("tfmt", "srt")
	response, err := c.do(ctx, d.Account, d.Credentials, call, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("downloading captions: %w", connectors.WithoutEnd(err))
	case response.Oversized:
		return nil, connectors.Refuse("the captions are longer than crier reads")
	}
	return parseSubRip(string(response.Body)), nil
}

// cueTimes is the line of a cue that says when it is shown.
var cueTimes = regexp.MustCompile(`^(\d{1,3}):(\d{2}):(\d{2})[,.](\d{3})\s*-->\s*(\d{1,3}):(\d{2}):(\d{2})[,.](\d{3})`)

// parseSubRip reads cues: a number, the times, the text and an empty line each. What is none is
// left out.
func parseSubRip(text string) (cues []connectors.Cue) {
	var open *connectors.Cue
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		switch times := cueTimes.FindStringSubmatch(line); {
		case times != nil:
			cues = append(cues, connectors.Cue{Start: millis(times[1:5]), End: millis(times[5:9])})
			open = &cues[len(cues)-1]
		case strings.TrimSpace(line) == "":
			open = nil
		case open != nil && open.Text != "":
			open.Text += " " + strings.TrimSpace(line)
		case open != nil:
			open.Text = strings.TrimSpace(line)
		}
	}
	return cues
}

// millis is hours, minutes, seconds and milliseconds, all of them digits.
func millis(parts []string) (sum int64) {
	for i, unit := range []int64{3_600_000, 60_000, 1000, 1} {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return 0 // not reached
		}
		sum += n * unit
	}
	return sum
}
