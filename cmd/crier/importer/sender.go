package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"crier/client"
	"crier/schema/sleep"
)

// sender sends chunks, each until it has an answer, within the rate limit of the key.
type sender struct {
	api      *client.ClientWithResponses
	timezone string
	dryRun   bool
	importID string
	patience time.Duration // how long one chunk is retried
	now      func() time.Time
	notices  io.Writer   // where a server that does not answer is reported
	taken    atomic.Bool // a request may have taken effect

	mu      sync.Mutex
	resumes time.Time // nothing is sent before it: the rate limit of the key is used up
	away    bool      // the server did not answer when it was last asked
}

const (
	firstWait = 500 * time.Millisecond
	longWait  = 30 * time.Second
	patience  = 15 * time.Minute
)

// send sends a chunk and returns the results of its rows. An error ends the import: the
// server cannot be reached, or refuses the key.
func (s *sender) send(ctx context.Context, c chunk) ([]outcome, error) {
	body := c.body(s.timezone, s.dryRun)
	if body == nil {
		return c.outcomes(&client.BulkAnswer{}, s.dryRun)
	}
	deadline := s.now().Add(s.patience)
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		if err := s.awaitTurn(ctx); err != nil {
			return nil, err
		}
		answer, again, err := s.try(ctx, c, body)
		s.tell(ctx, again, err)
		if err == nil {
			return c.outcomes(answer, s.dryRun)
		}
		if refusal := unreadable(err); refusal != nil {
			return s.sendAlone(ctx, c, refusal)
		}
		if !again || ctx.Err() != nil || s.now().Add(wait).After(deadline) {
			return nil, err
		}
		if err := sleep.For(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// unreadable returns the server's refusal of a request that it cannot read, nil for any
// other error.
func unreadable(err error) *client.APIError {
	refusal, ok := errors.AsType[*client.APIError](err)
	if ok && slices.ContainsFunc(refusal.Details, func(d client.Detail) bool { return d.Code == "malformed_json" }) {
		return refusal
	}
	return nil
}

// sendAlone sends each row of a chunk by itself. One of them holds something that makes the
// API refuse the whole request, such as a field twice, and must not hold up the others.
func (s *sender) sendAlone(ctx context.Context, c chunk, refusal *client.APIError) ([]outcome, error) {
	if c.alone {
		c.rows[0].problem = &problem{message: refusal.Message}
		return []outcome{c.rows[0].refused()}, nil
	}
	outcomes := make([]outcome, 0, len(c.rows))
	for _, r := range c.rows {
		told, err := s.send(ctx, chunk{number: c.number, rows: []row{r}, alone: true})
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, told...)
	}
	return outcomes, nil
}

// tell reports once that the server does not answer, so that nobody takes the wait for
// progress.
func (s *sender) tell(ctx context.Context, again bool, err error) {
	failure, refused := errors.AsType[*client.APIError](err)
	if ctx.Err() != nil || refused && failure.Status == http.StatusTooManyRequests {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if away := err != nil && again; away != s.away {
		s.away = away
		if away {
			fmt.Fprintf(s.notices, "\n%v\nTrying again, for up to %v.\n", err, s.patience)
		}
	}
}

// try sends a chunk once. again reports whether it is worth sending again; the chunk's key
// makes sure that it takes effect only once.
func (s *sender) try(ctx context.Context, c chunk, body []byte) (answer *client.BulkAnswer, again bool, err error) {
	params := &client.CreatePostsParams{}
	if !s.dryRun {
		key := c.key(s.importID)
		params.IdempotencyKey = &key
	}
	response, err := s.api.CreatePostsWithBodyWithResponse(ctx, params, "application/json", bytes.NewReader(body))
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); !ok || dial.Op != "dial" {
			s.taken.Store(true)
		}
		return nil, true, fmt.Errorf("sending rows %d to %d: %w", c.rows[0].number, c.rows[len(c.rows)-1].number, err)
	}
	s.heed(response.HTTPResponse.Header, response.StatusCode())
	if status := response.StatusCode(); status < http.StatusBadRequest || status >= http.StatusInternalServerError {
		s.taken.Store(true)
	}
	switch status := response.StatusCode(); {
	case status == http.StatusCreated && response.JSON201 != nil:
		return response.JSON201, false, nil
	case status == http.StatusOK && response.JSON200 != nil:
		return response.JSON200, false, nil
	default:
		again = status == http.StatusTooManyRequests || status >= 500
		return nil, again, fmt.Errorf("sending rows %d to %d: %w", c.rows[0].number, c.rows[len(c.rows)-1].number, client.ErrorOf(status, response.Body))
	}
}

// heed records when the key may be used again if its rate limit is used up.
func (s *sender) heed(header http.Header, status int) {
	remaining, err := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	if err != nil || (remaining > 0 && status != http.StatusTooManyRequests) {
		return
	}
	resumes := s.now().Add(time.Second)
	if after, err := strconv.Atoi(header.Get("Retry-After")); err == nil {
		resumes = s.now().Add(time.Duration(after) * time.Second)
	} else if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
		resumes = time.UnixMilli(reset)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if resumes.After(s.resumes) {
		s.resumes = resumes
	}
}

func (s *sender) awaitTurn(ctx context.Context) error {
	s.mu.Lock()
	wait := s.resumes.Sub(s.now())
	s.mu.Unlock()
	return sleep.For(ctx, min(wait, time.Minute))
}

func (r row) refused() outcome {
	o := outcome{row: r.number, status: failed, code: "invalid_row", message: r.problem.message}
	if r.problem.field != "" {
		o.message = r.problem.field + ": " + o.message
	}
	return o
}

// lost returns the results of a chunk that was sent so long ago that crier has forgotten its
// key.
func (c chunk) lost() []outcome {
	return c.each(func(r row) outcome {
		return outcome{row: r.number, status: unknown, code: "unknown", message: "the import ended more than a day ago while this row was on its way: look whether its post is there"}
	})
}

// each returns the results of all rows: those of rows that can be sent come from sent.
func (c chunk) each(sent func(row) outcome) []outcome {
	outcomes := make([]outcome, len(c.rows))
	for i, r := range c.rows {
		if r.problem != nil {
			outcomes[i] = r.refused()
		} else {
			outcomes[i] = sent(r)
		}
	}
	return outcomes
}

// outcomes reads the answer to a chunk.
func (c chunk) outcomes(answer *client.BulkAnswer, dryRun bool) ([]outcome, error) {
	results := answer.Results
	outcomes := c.each(func(r row) outcome {
		if len(results) == 0 {
			return outcome{row: -1}
		}
		result := results[0]
		results = results[1:]
		return outcomeOf(r, result, dryRun)
	})
	if len(results) > 0 || (len(outcomes) > 0 && outcomes[len(outcomes)-1].row < 0) {
		return nil, errors.New("the server answered for another number of rows than were sent")
	}
	return outcomes, nil
}

func outcomeOf(r row, result client.BulkResult, dryRun bool) outcome {
	o := outcome{row: r.number, status: created}
	if dryRun {
		o.status = valid
	}
	if result.Error != nil {
		o.status, o.code, o.message = failed, string(result.Error.Code), result.Error.Message
		return o
	}
	if result.Post != nil {
		o.postID = result.Post.Id
		if result.Post.ScheduledFor != nil {
			o.scheduledFor = result.Post.ScheduledFor.UTC().Format(time.RFC3339)
		}
	}
	if result.Warnings != nil {
		var warnings []string
		for _, w := range *result.Warnings {
			warnings = append(warnings, w.Field+": "+w.Message)
		}
		o.message = strings.Join(warnings, "; ")
	}
	return o
}
