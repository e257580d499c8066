package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// sender sends requests, and again where that is safe.
type sender struct {
	server, key, agent string
	wrong              error // with the server's address
	http               *http.Client
	retry              Retry
	window             window
	now                func() time.Time
	wait               func(context.Context, time.Duration) error
}

// Do sends a request until it has an answer of success, or an error that another try would not
// change. The answer has been read whole; an answer that is no success is an *Error.
func (s *sender) Do(request *http.Request) (*http.Response, error) {
	if s.wrong != nil {
		return nil, s.wrong
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	for name := range request.Header {
		if strings.ContainsFunc(request.Header.Get(name), unicode.IsControl) { // another try would not change it
			return nil, fmt.Errorf("calling crier: no request can have the %s that was given", name)
		}
	}
	return s.send(request, true)
}

// send sends a request; limited is one that counts for the key's rate limit.
func (s *sender) send(request *http.Request, limited bool) (*http.Response, error) {
	ctx := request.Context()
	request.Header.Set("User-Agent", s.agent)
	ends := s.now().Add(s.retry.For)
	for try := 1; ; try++ {
		if wait := s.window.wait(s.now()); limited && s.fits(ctx, wait, ends) {
			if err := s.wait(ctx, wait); err != nil {
				return nil, err
			}
		}
		response, err := s.once(request)
		if err == nil {
			return response, nil
		}
		wait := s.retry.before(try+1, retryAfter(err))
		if try >= s.retry.Tries || !again(request, err) || !s.fits(ctx, wait, ends) {
			return nil, err
		}
		if s.retry.Notify != nil {
			s.retry.Notify(err, wait)
		}
		if stopped := s.wait(ctx, wait); stopped != nil {
			return nil, fmt.Errorf("%w, while waiting after: %w", stopped, err)
		}
		if request, err = renewed(request); err != nil {
			return nil, err
		}
	}
}

// fits reports whether a wait ends while there is time to go on.
func (s *sender) fits(ctx context.Context, wait time.Duration, ends time.Time) bool {
	if s.retry.Tries == 1 {
		return false
	}
	resumes := s.now().Add(wait)
	deadline, bounded := ctx.Deadline()
	return !resumes.After(ends) && (!bounded || resumes.Before(deadline))
}

func (s *sender) once(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	if ctx.Value(slowKey{}) == nil {
		bounded, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		request = request.WithContext(bounded)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("calling crier: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("calling crier: reading the answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusMultipleChoices {
		s.window.heed(response, nil, s.now())
		return response, nil
	}
	refused := errorOf(response, body)
	s.window.heed(response, refused, s.now())
	return nil, refused
}

func retryAfter(err error) time.Duration {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.RetryAfter
	}
	return 0
}

// again reports whether a request that failed is worth sending again, and safe.
func again(request *http.Request, err error) bool {
	if request.Context().Err() != nil {
		return false
	}
	safe := request.Method != http.MethodPost || request.Header.Get("Idempotency-Key") != "" || request.Context().Value(repeatableKey{}) != nil
	refused, answered := errors.AsType[*Error](err)
	if !answered {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return !untrusted && (safe || neverSent(err))
	}
	switch refused.Status {
	case http.StatusTooManyRequests: // the daily limit of an account lasts for longer than anybody waits
		return refused.Code == CodeRateLimitExceeded || refused.Code == ""
	case http.StatusServiceUnavailable:
		return safe || refused.RetryAfter > 0
	default:
		return safe && refused.Status >= http.StatusInternalServerError
	}
}

// neverSent reports whether a request cannot have taken effect, since nobody was reached.
func neverSent(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// renewed is a request as it was before it was sent.
func renewed(request *http.Request) (*http.Request, error) {
	again := request.Clone(request.Context())
	if request.GetBody == nil {
		return again, nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, fmt.Errorf("calling crier again: %w", err)
	}
	again.Body = body
	return again, nil
}

// read decodes an answer of success.
func read[T any](response *http.Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer := new(T)
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return nil, fmt.Errorf("reading crier's answer: %w", err)
	}
	return answer, nil
}

// part decodes an answer of success, and returns what pick takes of it.
func part[T, P any](pick func(*T) P) func(*http.Response, error) (P, error) {
	return func(response *http.Response, err error) (taken P, _ error) {
		answer, err := read[T](response, err)
		if err != nil {
			return taken, err
		}
		return pick(answer), nil
	}
}

// done is for answers of which nobody wants more than that they are a success.
func done(response *http.Response, err error) error {
	if err != nil {
		return err
	}
	return response.Body.Close()
}
