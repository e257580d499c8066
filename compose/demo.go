package compose

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// demoWorkspace is whose keys the demo prints.
const demoWorkspace = "demo"

// Demo prints a live and a test key, publishes a post with the test key through the whole
// pipeline to the simulators, and shows what came of it.
func (r *Running) Demo(ctx context.Context, out io.Writer) error {
	keys, err := r.demoKeys(ctx)
	if err != nil {
		return fmt.Errorf("making the demo's keys: %w", err)
	}
	fmt.Fprintf(out, "\ncrier serves %s/api/v1\n  live key  %s\n  test key  %s\n\n", r.URL, keys.Live, keys.Test)
	d := &demo{api: r.URL + "/api/v1", key: keys.Test, out: out, started: time.Now()}
	if err := d.run(ctx); err != nil {
		return fmt.Errorf("running the demo: %w", err)
	}
	fmt.Fprintf(out, "\nEverything works. Metrics and health: http://%s/metrics, /readyz. Stop with Ctrl-C.\n", r.Config.AdminListen)
	return nil
}

type demoKeys struct {
	Live string `json:"live"`
	Test string `json:"test"`
}

// demoKeys returns the keys of an earlier start, or makes them. They are kept beside the
// keyset, readable by its owner alone.
func (r *Running) demoKeys(ctx context.Context) (keys demoKeys, err error) {
	file := r.base.parts.data.Path("demo.json")
	if kept, err := os.ReadFile(file); err == nil {
		return keys, json.Unmarshal(kept, &keys)
	}
	o := &operator{config: r.Config, admin: postgres.NewAdmin(r.base.store), vault: r.base.vault}
	if keys.Live, err = o.createKey(ctx, demoWorkspace, "operator", false); err != nil {
		return keys, err
	}
	if keys.Test, err = o.createKey(ctx, demoWorkspace, "operator", true); err != nil {
		return keys, err
	}
	kept, err := json.Marshal(keys)
	if err != nil {
		return keys, err
	}
	return keys, os.WriteFile(file, kept, 0o600)
}

// demo is one run: a client of the API like any other.
type demo struct {
	api, key string
	out      io.Writer
	started  time.Time
	post     demoPost
}

// demoPost is what the demo reads of a post.
type demoPost struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Platforms []struct {
		Platform      string `json:"platform"`
		Status        string `json:"status"`
		PostURL       string `json:"postUrl"`
		FirstComments []struct {
			Status string `json:"status"`
			URL    string `json:"url"`
		} `json:"firstComments"`
	} `json:"platforms"`
}

func (d *demo) say(format string, args ...any) {
	fmt.Fprintf(d.out, "%6.2fs  %s\n", time.Since(d.started).Seconds(), fmt.Sprintf(format, args...))
}

func (d *demo) run(ctx context.Context) error {
	hook, err := d.subscribe(ctx)
	if err != nil {
		return err
	}
	defer hook.close()
	before, err := d.counted(ctx)
	if err != nil {
		return err
	}
	if err := d.publish(ctx); err != nil {
		return err
	}
	if err := d.await(ctx, "the post", d.posted); err != nil {
		return err
	}
	d.say("posted on %d platforms: %s", len(d.post.Platforms), d.postURLs())
	if err := d.await(ctx, "the webhook", func(context.Context) (bool, error) { return hook.received(d.post.ID) }); err != nil {
		return err
	}
	d.say("webhook post.published received, its signature verified")
	if err := d.await(ctx, "ClickHouse", func(ctx context.Context) (bool, error) {
		after, err := d.counted(ctx)
		return after >= before+len(d.post.Platforms), err
	}); err != nil {
		return err
	}
	d.say("counted in ClickHouse (GET /analytics/posts)")
	if err := d.await(ctx, "the first comments", d.commented); err != nil {
		return err
	}
	d.say("first comments are there, where the platform has them: %s", d.commentURLs())
	return nil
}

func (d *demo) publish(ctx context.Context) error {
	var answer struct {
		Post     demoPost        `json:"post"`
		Warnings []schema.Detail `json:"warnings"`
	}
	err := d.call(ctx, http.MethodPost, "/posts", map[string]any{
		"content":      fmt.Sprintf("Hello from crier, at %s. https://example.com #crier", time.Now().UTC().Format(time.RFC3339Nano)),
		"platforms":    []string{"mastodon", "bluesky", "telegram"},
		"publishNow":   true,
		"firstComment": "And a first comment, 15 seconds later.",
	}, &answer)
	d.post = answer.Post
	d.say("accepted: %s", d.post.ID)
	for _, w := range answer.Warnings {
		d.say("warning: %s: %s", w.Field, w.Message)
	}
	return err
}

func (d *demo) read(ctx context.Context) error {
	var answer struct {
		Post demoPost `json:"post"`
	}
	err := d.call(ctx, http.MethodGet, "/posts/"+d.post.ID, nil, &answer)
	d.post = answer.Post
	return err
}

func (d *demo) posted(ctx context.Context) (bool, error) {
	id := d.post.ID
	if err := d.read(ctx); err != nil {
		return false, err
	}
	switch d.post.Status {
	case "posted":
		return true, nil
	case "failed", "partially_failed":
		return false, fmt.Errorf("%s is %s", id, d.post.Status)
	}
	return false, nil
}

func (d *demo) commented(ctx context.Context) (bool, error) {
	if err := d.read(ctx); err != nil {
		return false, err
	}
	posted := 0
	for _, p := range d.post.Platforms {
		for _, c := range p.FirstComments {
			if c.Status == "failed" {
				return false, fmt.Errorf("the first comment on %s failed", p.Platform)
			}
			if c.Status == "posted" {
				posted++
			}
		}
	}
	return posted == 2, nil // telegram has none
}

func (d *demo) postURLs() string {
	var urls []string
	for _, p := range d.post.Platforms {
		urls = append(urls, p.PostURL)
	}
	return strings.Join(urls, "  ")
}

func (d *demo) commentURLs() string {
	var urls []string
	for _, p := range d.post.Platforms {
		for _, c := range p.FirstComments {
			urls = append(urls, c.URL)
		}
	}
	return strings.Join(urls, "  ")
}

// counted returns how many posts ClickHouse knows as posted.
func (d *demo) counted(ctx context.Context) (int, error) {
	var answer struct {
		Counts []struct {
			Status string `json:"status"`
			Count  int    `json:"count"`
		} `json:"counts"`
	}
	err := d.call(ctx, http.MethodGet, "/analytics/posts", nil, &answer)
	total := 0
	for _, c := range answer.Counts {
		if c.Status == "posted" {
			total += c.Count
		}
	}
	return total, err
}

// await asks until something is there.
func (d *demo) await(ctx context.Context, what string, there func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		ok, err := there(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// call makes a request to the API and decodes its answer.
func (d *demo) call(ctx context.Context, method, path string, body, answer any) error {
	var content io.Reader
	if body != nil {
		document, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(document)
	}
	request, err := http.NewRequestWithContext(ctx, method, d.api+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+d.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	document, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode > 299 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, document)
	}
	return json.Unmarshal(document, answer)
}

// demoHook is a receiver of webhooks on loopback that checks their signature.
type demoHook struct {
	demo   *demo
	id     string
	secret string
	server *http.Server
	bodies chan []byte
	faults chan error
}

// subscribe starts the receiver and makes a webhook for it.
func (d *demo) subscribe(ctx context.Context) (*demoHook, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &demoHook{demo: d, bodies: make(chan []byte, 16), faults: make(chan error, 16)}
	h.server = &http.Server{Handler: http.HandlerFunc(h.receive), ReadHeaderTimeout: 5 * time.Second}
	go h.server.Serve(listener) //nolint:errcheck // ends with close
	var answer struct {
		Webhook struct {
			ID     string `json:"id"`
			Secret string `json:"secret"`
		} `json:"webhook"`
	}
	err = d.call(ctx, http.MethodPost, "/webhooks", map[string]any{
		"url": "http://" + listener.Addr().String() + "/hook", "events": []string{"post.published"},
	}, &answer)
	h.id, h.secret = answer.Webhook.ID, answer.Webhook.Secret
	if err != nil {
		_ = h.server.Close()
		return nil, fmt.Errorf("%w (the demo needs --allow-private-webhooks)", err)
	}
	return h, nil
}

func (h *demoHook) receive(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err == nil && !verified(r.Header.Get("X-Webhook-Signature"), h.secret, body) {
		err = errors.New("the webhook's signature is not ours")
	}
	if err != nil {
		h.faults <- err
		return
	}
	h.bodies <- body
}

// verified checks X-Webhook-Signature as a receiver would.
func verified(header, secret string, body []byte) bool {
	at, signature, ok := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	m := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(m, "%s.%s", at, body)
	given, err := hex.DecodeString(signature)
	return ok && err == nil && hmac.Equal(given, m.Sum(nil))
}

func (h *demoHook) received(post string) (bool, error) {
	select {
	case err := <-h.faults:
		return false, err
	case body := <-h.bodies:
		return bytes.Contains(body, []byte(post)), nil
	default:
		return false, nil
	}
}

// close removes the webhook, so that the next run's is the only one.
func (h *demoHook) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := h.demo.call(ctx, http.MethodDelete, "/webhooks/"+h.id, nil, &struct{}{}); err != nil {
		h.demo.say("the webhook was not removed: %v", err)
	}
	_ = h.server.Close()
}
