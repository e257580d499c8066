package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// exchange is a persistent connection for one request at a time. net/http's client would take
// processor time from what is measured.
type exchange struct {
	host   string // host:port
	status int    // of an answer that is no error
	conn   net.Conn
	in     *bufio.Reader
}

// exchangeLimit bounds one request with its answer.
const exchangeLimit = 30 * time.Second

// do sends a request; an answer of another status is an error. After an error that may have
// left an answer unread, the next request uses a new connection.
func (e *exchange) do(ctx context.Context, request []byte) error {
	if err := e.open(ctx); err != nil {
		return err
	}
	if err := e.conn.SetDeadline(time.Now().Add(exchangeLimit)); err != nil {
		return err
	}
	if _, err := e.conn.Write(request); err != nil {
		e.close()
		return fmt.Errorf("sending a request: %w", err)
	}
	status, body, err := readAnswer(e.in, e.status)
	if err != nil {
		e.close()
		return fmt.Errorf("reading an answer: %w", err)
	}
	if status != e.status {
		return fmt.Errorf("answer %d: %s", status, body)
	}
	return nil
}

func (e *exchange) open(ctx context.Context) error {
	if e.conn != nil {
		return nil
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", e.host)
	if err != nil {
		return err
	}
	e.conn, e.in = conn, bufio.NewReaderSize(conn, 8<<10)
	return nil
}

func (e *exchange) close() {
	if e.conn != nil {
		_ = e.conn.Close() // nothing is in flight that counts
		e.conn = nil
	}
}

// readAnswer reads an HTTP answer. Of its body it returns what says why a request failed,
// where the status is not the one that is wanted.
func readAnswer(in *bufio.Reader, wanted int) (status int, body []byte, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, nil, fmt.Errorf("%q is no answer of HTTP/1.1", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length, chunked, err := readHeader(in)
	if err != nil {
		return 0, nil, err
	}
	if status == wanted {
		return status, nil, discardBody(in, length, chunked)
	}
	body, err = io.ReadAll(io.LimitReader(in, int64(min(length, 400))))
	return status, body, errors.Join(err, discardBody(in, length-len(body), chunked))
}

// readHeader reads up to the empty line and returns how long the body is.
func readHeader(in *bufio.Reader) (length int, chunked bool, err error) {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return length, chunked, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, false, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
}

func discardBody(in *bufio.Reader, length int, chunked bool) error {
	if !chunked {
		_, err := in.Discard(length)
		return err
	}
	if _, err := io.Copy(io.Discard, httputil.NewChunkedReader(in)); err != nil {
		return err
	}
	_, _, err := readHeader(in) // the trailer, empty as a rule
	return err
}

// exchangePlan is the configuration of a worker that exchanges requests with the simulators
// that ask for nothing, as fast as some connections can.
type exchangePlan struct{ Simulators string }

// exchangeResult is how many it had answered a second.
type exchangeResult struct{ Rate float64 }

const (
	exchangeClients = 64
	exchangeLast    = 3 * time.Second
)

// exchangeAll is the worker that exchanges requests.
func exchangeAll(ctx context.Context, w *worker) error {
	var plan exchangePlan
	if err := w.configure(&plan); err != nil {
		return err
	}
	request := fmt.Appendf(nil, "GET /_control/posts?platform=mastodon&skip=%d HTTP/1.1\r\nHost: %s\r\n\r\n", math.MaxInt32, plan.Simulators)
	began := time.Now()
	var calls atomic.Int64
	var group errgroup.Group
	for range exchangeClients {
		group.Go(func() error {
			e := exchange{host: plan.Simulators, status: http.StatusOK}
			defer e.close()
			for ctx.Err() == nil && time.Since(began) < exchangeLast {
				if err := e.do(ctx, request); err != nil {
					return err
				}
				calls.Add(1)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || ctx.Err() != nil {
		return err // what was interrupted has no result
	}
	return w.answer(exchangeResult{float64(calls.Load()) / time.Since(began).Seconds()})
}

// exchange runs the control of a herd once and adds its result.
func (s *session) exchange(ctx context.Context, simulators string, rates *[]float64) error {
	s.say("control: empty exchanges with the simulators, %d connections", exchangeClients)
	var result exchangeResult
	err := s.do(ctx, roleExchange, exchangePlan{simulators}, &result)
	*rates = append(*rates, result.Rate)
	return err
}
