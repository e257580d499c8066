package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"crier/connectors"
	"crier/schema"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// Hosts are the public ones, which Bluesky runs.
func Hosts() []string {
	return []string{
		"https://jetstream2.us-east.bsky.network", "https://jetstream1.us-east.bsky.network",
		"https://jetstream2.us-west.bsky.network", "https://jetstream1.us-west.bsky.network",
	}
}

// Config is what a Client is made of.
type Config struct {
	Hosts []string     // base addresses, the preferred one first
	HTTP  *http.Client // of package egress
	Now   func() time.Time
	// Lost is called with a host whose connection ended, and why.
	Lost func(host string, err error)
	// Silence is how long a host may send nothing; 0: half a minute.
	Silence time.Duration
	// LargestMessage is how many bytes a message may have; 0: a mebibyte. A larger one is
	// passed over.
	LargestMessage int64
}

// Client reads the stream.
type Client struct {
	config Config
	host   int
	retry  retry.Policy
}

// New makes a client.
func New(c Config) *Client {
	c.Silence, c.LargestMessage = cmp.Or(c.Silence, 30*time.Second), cmp.Or(c.LargestMessage, 1<<20)
	return &Client{config: c, retry: retry.Stream}
}

const (
	overlap      = 2 * time.Second  // what is read again on the same host
	otherOverlap = 10 * time.Second // and on another
	// ahead is how much later than now an event may say to be and still be a place to resume at.
	ahead = time.Minute
	// longestReplay is how far back hosts keep events, and some more.
	longestReplay = 48 * time.Hour
	connect       = 10 * time.Second
	// drained is how much of an oversized message is read to get past it, as a multiple of the
	// largest.
	drained = 64
)

// errEnds is a connection that its host has ended.
var errEnds = errors.New("the host ended the stream")

// Read reads from a place on, or from now on where that is zero, and gives every event to
// deliver, which may take its time: the host is held back then. A host whose connection ends is
// asked again, from the last delivered event on, and when it fails the next one. It returns when ctx ends, or with deliver's error.
func (c *Client) Read(ctx context.Context, from schema.StreamPlace, deliver func(connectors.StreamEvent) error) error {
	if known := slices.Index(c.config.Hosts, from.Host); known >= 0 {
		c.host = known
	}
	for failures := 0; ; failures++ {
		host := c.config.Hosts[c.host]
		var read int
		var refused error
		err := c.follow(ctx, host, from, func(e connectors.StreamEvent) error {
			from = c.after(from, host, e.At.Time)
			e.At = from
			read++
			refused = deliver(e)
			return refused
		})
		if refused != nil {
			return refused
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.config.Lost(host, err)
		if read > 0 {
			failures = 0
		} else {
			c.host = (c.host + 1) % len(c.config.Hosts)
		}
		if err := sleep.For(ctx, c.retry.Wait(failures, 0)); err != nil {
			return err
		}
	}
}

// after returns the place after an event of a host. Times that cannot be are no place: resuming
// there would miss what comes, or bring again what was read long ago.
func (c *Client) after(from schema.StreamPlace, host string, at time.Time) schema.StreamPlace {
	now, minimum := c.config.Now(), from.Time
	switch {
	case from.Time.IsZero():
		minimum = now.Add(-longestReplay)
	case from.Host != host:
		minimum = from.Time.Add(-2 * otherOverlap)
	}
	if at.Before(minimum) || at.After(now.Add(ahead)) {
		return from
	}
	return schema.StreamPlace{Host: host, Time: at}
}

// follow reads one connection to its end.
func (c *Client) follow(ctx context.Context, host string, from schema.StreamPlace, deliver func(connectors.StreamEvent) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(connect, func() { cancel(errors.New("the host does not answer")) })
	defer silent.Stop()
	conn, response, err := websocket.Dial(ctx, address(host, from, c.config.LargestMessage), &websocket.DialOptions{HTTPClient: c.config.HTTP}) //nolint:bodyclose // the connection has it
	if err != nil {
		if response != nil {
			return fmt.Errorf("connecting: the host answered %s", response.Status)
		}
		return fmt.Errorf("connecting: %w", errors.Join(context.Cause(ctx), err))
	}
	defer conn.CloseNow() //nolint:errcheck // it is over
	conn.SetReadLimit(-1)
	buffer := make([]byte, c.config.LargestMessage+1)
	for first := true; ; first = false {
		silent.Reset(c.config.Silence)
		event, err := c.next(ctx, conn, buffer)
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		silent.Stop() // deliver may take its time
		event.Resumed, event.Requested = first && !from.Time.IsZero(), from
		if err := deliver(event); err != nil {
			return err
		}
	}
}

// next reads a message.
func (c *Client) next(ctx context.Context, conn *websocket.Conn, buffer []byte) (connectors.StreamEvent, error) {
	kind, reader, err := conn.Reader(ctx)
	if err != nil {
		if status := websocket.CloseStatus(err); status != -1 {
			return connectors.StreamEvent{}, fmt.Errorf("%w: %s", errEnds, status)
		}
		return connectors.StreamEvent{}, fmt.Errorf("reading: %w", err)
	}
	n, err := io.ReadFull(reader, buffer)
	switch {
	case err == nil:
		rest := drained * c.config.LargestMessage
		if n, err := io.CopyN(io.Discard, reader, rest); err == nil || !errors.Is(err, io.EOF) {
			return connectors.StreamEvent{}, fmt.Errorf("reading a message of more than %d bytes: %w", int64(len(buffer))+n, errors.Join(err, errEnds))
		}
		return connectors.StreamEvent{Kind: connectors.StreamOversized}, nil
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return connectors.StreamEvent{}, fmt.Errorf("reading: %w", err)
	case kind != websocket.MessageText:
		return connectors.StreamEvent{Kind: connectors.StreamMalformed}, nil
	}
	return parse(buffer[:n]), nil
}

// address returns where a host's stream is read from a place on.
func address(host string, from schema.StreamPlace, largest int64) string {
	query := url.Values{"wantedCollections": {postCollection}, "maxMessageSizeBytes": {strconv.FormatInt(largest, 10)}}
	if !from.Time.IsZero() {
		back := overlap
		if from.Host != host {
			back = otherOverlap
		}
		query.Set("cursor", strconv.FormatInt(from.Time.Add(-back).UnixMicro(), 10))
	}
	return strings.TrimSuffix(host, "/") + "/subscribe?" + query.Encode()
}
