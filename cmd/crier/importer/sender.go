package importer

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"crier/client"
	"crier/schema/sleep"
)

// sender sends chunks, each until it has an answer, within the rate limit of the key.
type sender struct {
	api      *client.Client
	timezone string
	dryRun   bool
	importID string
	began    time.Time   // when the first run of the import did; zero: this is the first
	notices  io.Writer   // where a server that does not answer is reported
	taken    atomic.Bool // a request may have taken effect

	mu   sync.Mutex
	away bool // the server did not answer when it was last asked
}

// patience is how long one chunk is sent again.
const patience = 15 * time.Minute

// newSender sends to the server of an import.
func newSender(c Config, importID string) *sender {
	s := &sender{timezone: c.Timezone, dryRun: c.DryRun, importID: importID, notices: c.Progress}
	s.api = client.New(c.Key, client.WithServer(c.URL), client.WithClock(c.Now, sleep.For), client.WithUserAgent("crier-import"),
		client.WithRetry(client.Retry{Tries: math.MaxInt, For: patience, Notify: s.tell}))
	return s
}

// firstPatience is how long a server that has never answered is tried: its address may be wrong.
const firstPatience = 30 * time.Second

// reach waits until a server answers at the address, whatever it answers.
func (c Config) reach(ctx context.Context) error {
	until := c.Now().Add(firstPatience)
	err := c.knock(ctx)
	if _, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err); isUntrusted {
		return fmt.Errorf("asking %s: %w", c.URL, err)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(c.Progress, "No server answers at %s. Trying again, for %.0f seconds in all.\n", c.URL, firstPatience.Seconds())
	}
	for err != nil && c.Now().Before(until) {
		if err := sleep.For(ctx, time.Second); err != nil {
			return err
		}
		err = c.knock(ctx)
	}
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", c.URL, err)
	}
	return nil
}

// knock asks where the API is: a proxy may pass on nothing else.
func (c Config) knock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, firstPatience/3)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, strings.TrimRight(c.URL, "/")+"/api/v1/", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// send sends a chunk and returns the results of its rows. An error ends the import: the
// server cannot be reached, or refuses the key.
func (s *sender) send(ctx context.Context, c chunk) ([]outcome, error) {
	found, err := s.find(ctx, c)
	if err != nil {
		return nil, err
	}
	c.checkNew(found)
	settled, err := s.settle(ctx, c, found)
	if err != nil {
		return nil, err
	}
	c.settled = settled
	if identified, rest := c.kinds(); identified && rest {
		part, err := s.create(ctx, c.identified())
		if err != nil {
			return nil, err
		}
		c.settled, c.part = maps.Clone(settled), "rest"
		for _, o := range part {
			c.settled[o.row] = o
		}
	}
	return s.create(ctx, c)
}

// create makes the posts of the rows that are not settled.
func (s *sender) create(ctx context.Context, c chunk) ([]outcome, error) {
	body := c.body(s.timezone, s.dryRun)
	if body == nil {
		return s.outcomes(c, &client.BulkResponse{})
	}
	option := client.WithIdempotencyKey(c.key(s.importID))
	if s.dryRun {
		option = client.DryRun()
	}
	response, err := s.api.Posts.CreateBulkJSON(ctx, body, option)
	s.note(err)
	if refusal := unreadable(err); refusal != nil {
		return s.sendAlone(ctx, c, refusal)
	}
	if err != nil {
		return nil, fmt.Errorf("sending rows %d to %d: %w", c.rows[0].number, c.rows[len(c.rows)-1].number, err)
	}
	s.answered()
	outcomes, err := s.outcomes(c, response)
	if err != nil {
		return nil, err
	}
	return outcomes, s.later(ctx, c, outcomes)
}

// outcomes are those of a chunk. In a dry run there is no post to say the time of a row that makes one.
func (s *sender) outcomes(c chunk, response *client.BulkResponse) ([]outcome, error) {
	outcomes, err := c.outcomes(response, s.dryRun)
	if err != nil || !s.dryRun {
		return outcomes, err
	}
	for i, r := range c.rows {
		if outcomes[i].scheduledFor == "" {
			outcomes[i].scheduledFor = r.scheduledFor(s.timezone)
		}
	}
	return outcomes, nil
}

// refusedAlone is a refusal of one post's change; nil for any other error, which ends the import.
func refusedAlone(err error) *client.Error {
	refused, ok := errors.AsType[*client.Error](err)
	if ok && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusNotFound || refused.Status == http.StatusConflict ||
		refused.Status == http.StatusTooManyRequests && refused.Code != client.CodeRateLimitExceeded) {
		return refused
	}
	return nil
}

// unreadable returns the server's refusal of a request that it cannot read, nil for any
// other error.
func unreadable(err error) *client.Error {
	refusal, ok := errors.AsType[*client.Error](err)
	if ok && slices.ContainsFunc(refusal.Details, func(d client.Detail) bool { return d.Code == "malformed_json" }) {
		return refusal
	}
	return nil
}

// sendAlone sends each row of a chunk by itself. One of them holds something that makes the
// API refuse the whole request, such as a field twice, and must not hold up the others.
func (s *sender) sendAlone(ctx context.Context, c chunk, refusal *client.Error) ([]outcome, error) {
	if c.alone {
		c.rows[0].problem = &problem{message: refusal.Message}
		return []outcome{c.rows[0].refused()}, nil
	}
	outcomes := make([]outcome, 0, len(c.rows))
	for _, r := range c.rows {
		alone, err := s.create(ctx, chunk{number: c.number, part: c.part, rows: []row{r}, alone: true, settled: c.settled})
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, alone...)
	}
	return outcomes, nil
}

// tell reports once that the server does not answer, so that nobody takes the wait for
// progress.
func (s *sender) tell(failed error, _ time.Duration) {
	s.note(failed)
	if refused, ok := errors.AsType[*client.Error](failed); ok && refused.Status == http.StatusTooManyRequests {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.away {
		s.away = true
		fmt.Fprintf(s.notices, "\n%v\nTrying again, for up to %.0f minutes.\n", failed, patience.Minutes())
	}
}

func (s *sender) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = false
}

// note keeps whether a request may have taken effect: one that nobody was reached by, or that
// was refused, has not.
func (s *sender) note(err error) {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status < http.StatusInternalServerError {
		return
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return
	}
	s.taken.Store(true)
}

func (r row) refused() outcome {
	o := outcome{row: r.number, status: failed}
	for _, p := range append([]*problem{r.problem}, r.problem.also...) {
		o.notes = append(o.notes, note{p.field, cmp.Or(p.code, codeInvalid), p.message})
	}
	return o
}

// lost returns the results of a chunk that was sent so long ago that crier has forgotten its
// key.
func (c chunk) lost() []outcome {
	return c.each(func(r row) outcome {
		return outcome{row: r.number, status: unknown, notes: []note{{code: "unknown", message: "the import ended more than a day ago while this row was on its way: look whether its post is there"}}}
	})
}

// each returns the results of all rows: those of rows that can be sent come from sent.
func (c chunk) each(sent func(row) outcome) []outcome {
	outcomes := make([]outcome, len(c.rows))
	for i, r := range c.rows {
		if r.problem != nil {
			outcomes[i] = r.refused()
		} else if o, ok := c.settled[r.number]; ok {
			outcomes[i] = o
		} else {
			outcomes[i] = sent(r)
		}
	}
	return outcomes
}

func (c chunk) outcomes(response *client.BulkResponse, dryRun bool) ([]outcome, error) {
	results := response.Results
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
		o.status = toCreate
	}
	if result.Error != nil {
		o.status, o.notes = failed, notesOf(result.Error.Code, result.Error.Message, result.Error.Details)
		if r.isCells { // the flag is for tables
			o.hintAtQueue()
		}
		return o
	}
	if result.Post != nil {
		o = outcomeOfPost(r.number, created, result.Post)
	}
	o.warn(r.warnings, result.Warnings)
	return o
}

// outcomeOfPost is what became of a row that is a post.
func outcomeOfPost(number int, status string, post *client.Post) outcome {
	o := outcome{row: number, status: status, postID: post.ID}
	if !post.ScheduledFor.IsZero() {
		o.scheduledFor = post.ScheduledFor.UTC().Format(time.RFC3339Nano)
	}
	return o
}

// notesOf turns a refusal into notes: one for each detail of a validation error, and for any other
// error one with its message.
func notesOf(code client.ErrorCode, message string, details []client.Detail) (all []note) {
	if code != client.CodeValidationError || len(details) == 0 {
		n := note{code: string(code), message: message}
		if len(details) > 0 {
			n.field, n.code = details[0].Field, cmp.Or(details[0].Code, n.code)
			n.message = strings.TrimPrefix(message, n.prefix())
		}
		return []note{n}
	}
	for _, d := range details {
		all = append(all, note{d.Field, d.Code, d.Message})
	}
	return all
}

// hintAtQueue tells of the flag that gives a row a time.
func (o *outcome) hintAtQueue() {
	for i, n := range o.notes {
		if n.field == "scheduledFor" && n.code == "required" && strings.HasSuffix(n.message, "is required") {
			o.notes[i].message += "; --queue puts rows without a time into the next free slots of the default queue, which has to be there"
		}
	}
}

// warn adds what was left out of a row, and what the server warns of.
func (o *outcome) warn(leftOut []string, warnings []client.Detail) {
	for _, text := range leftOut {
		field, message, _ := strings.Cut(text, ": ")
		o.notes = append(o.notes, note{field, codeLeftOut, message})
	}
	for _, w := range warnings {
		o.notes = append(o.notes, note{w.Field, w.Code, w.Message})
	}
}
