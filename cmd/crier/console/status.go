package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status shows how a server does, at a glance.
type Status struct {
	Shape
	AdminListen string `default:"127.0.0.1:8081" help:"Address of metrics, health and profiles, as serve is told."`
}

// statusTimeout is how long the admin listener may take.
const statusTimeout = 10 * time.Second

// Health is what crier status shows. Figures are of the process that was asked, but those that
// come from PostgreSQL: overdue, held, dead letters.
type Health struct {
	Ready      bool              `json:"ready"`
	Roles      map[string]string `json:"roles"` // "ready", or why not
	Postgres   string            `json:"postgres"`
	ClickHouse string            `json:"clickhouse,omitempty"`
	Disk       string            `json:"disk"`

	Overdue        float64             `json:"overdue"`
	OldestOverdue  float64             `json:"oldestOverdueSeconds"`
	Held           float64             `json:"held"`
	OverdueAge     float64             `json:"overdueAgeSeconds"` // since these three were read from PostgreSQL
	OldestInOutbox float64             `json:"oldestInOutboxSeconds"`
	Stages         map[string]*Stage   `json:"stages"`
	Lateness       map[string]Lateness `json:"lateness"` // by platform, since the process began
	Breakers       map[string]float64  `json:"openBreakers"`
	Outcomes       map[string]float64  `json:"outcomes"` // of targets, since the process began
	Deliveries     map[string]float64  `json:"webhookDeliveries"`
	Behind         map[string]bool     `json:"choresBehind"`
}

// Stage is what waits at a stage.
type Stage struct {
	Queued      float64 `json:"queued"` // messages that wait for their turn
	Lag         float64 `json:"lag"`    // messages of the log that are not acknowledged
	DeadLetters float64 `json:"deadLetters"`
}

// Lateness is how late targets were, in seconds: a bucket's upper bound.
type Lateness struct {
	Count  uint64  `json:"count"`
	Median float64 `json:"p50"`
	Max    float64 `json:"p99"`
}

// Run fails where the server is not ready.
func (s *Status) Run(ctx context.Context, t *Terminal) error {
	health, err := s.ask(ctx)
	if err != nil {
		return err
	}
	if s.JSON {
		err = t.object(health)
	} else {
		err = health.show(t)
	}
	if err == nil && !health.Ready {
		err = errors.New("the server is not ready")
	}
	return err
}

func (s *Status) ask(ctx context.Context) (*Health, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	health := &Health{}
	ready, status, err := s.read(ctx, "/readyz")
	if err == nil && status == http.StatusNotFound {
		err = fmt.Errorf("there is none at %s: serve is told its address by the same flag", s.AdminListen)
	}
	if err == nil {
		err = json.Unmarshal(ready, health)
	}
	if err != nil {
		return nil, fmt.Errorf("asking the admin listener (--admin-listen): %w", err)
	}
	metrics, status, err := s.read(ctx, "/metrics")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("/metrics answers %d", status)
	}
	if err == nil {
		err = health.measure(strings.NewReader(string(metrics)))
	}
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	return health, nil
}

func (s *Status) read(ctx context.Context, path string) (body []byte, status int, err error) {
	const maximum = 8 << 20
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.AdminListen+path, nil)
	if err != nil {
		return nil, 0, err
	}
	// No proxy of the environment: the listener is on this machine or in its network.
	direct := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := direct.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maximum))
	return body, response.StatusCode, err
}

func (h *Health) show(t *Terminal) error {
	state := "ready"
	if !h.Ready {
		state = "not ready"
	}
	fmt.Fprintf(t.Out, "%s; PostgreSQL %s", state, h.Postgres)
	if h.ClickHouse != "" {
		fmt.Fprintf(t.Out, "; ClickHouse %s", h.ClickHouse)
	}
	if h.Disk != "" && h.Disk != "ready" { // an older server does not tell
		fmt.Fprintf(t.Out, "; disk of the data folder %s", h.Disk)
	}
	fmt.Fprintln(t.Out)
	for _, role := range slices.Sorted(maps.Keys(h.Roles)) {
		if why := h.Roles[role]; why != "ready" {
			fmt.Fprintf(t.Out, "  %s: %s\n", role, why)
		}
	}
	fmt.Fprintf(t.Out, "Overdue: %.0f (oldest %s), held %.0f%s; oldest event not handled: %s\n\n",
		h.Overdue, seconds(h.OldestOverdue), h.Held, h.old(), seconds(h.OldestInOutbox))
	var stages []string
	for _, name := range slices.Sorted(maps.Keys(h.Stages)) {
		s := h.Stages[name]
		stages = append(stages, row(name, fmt.Sprintf("%.0f", s.Lag), fmt.Sprintf("%.0f", s.Queued), fmt.Sprintf("%.0f", s.DeadLetters)))
	}
	if err := t.table(row("STAGE", "LAG", "QUEUED", "DEAD LETTERS"), stages); err != nil {
		return err
	}
	fmt.Fprintln(t.Out)
	var platforms []string
	for _, name := range slices.Sorted(maps.Keys(h.Lateness)) {
		l := h.Lateness[name]
		platforms = append(platforms, row(name, strconv.FormatUint(l.Count, 10), "≤ "+seconds(l.Median), "≤ "+seconds(l.Max), fmt.Sprintf("%.0f", h.Breakers[name])))
	}
	if err := t.table(row("PLATFORM", "SETTLED", "LATE, HALF", "LATE, 99 %", "OPEN BREAKERS"), platforms); err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "\nTargets: %s. Webhooks: %s. Chores behind: %s.\n", counts(h.Outcomes), counts(h.Deliveries), names(h.Behind))
	return nil
}

// oldFigures is from how many seconds on figures are old, which are read every few seconds.
const oldFigures = 10

// old says how old the figures of overdue work are; it says nothing of current ones.
func (h *Health) old() string {
	if h.OverdueAge <= oldFigures {
		return ""
	}
	return fmt.Sprintf(", as of %s ago", time.Duration(h.OverdueAge)*time.Second)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

func counts(by map[string]float64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if by[name] > 0 {
			all = append(all, fmt.Sprintf("%.0f %s", by[name], name))
		}
	}
	return orNone(all)
}

func names(set map[string]bool) string { return orNone(slices.Sorted(maps.Keys(set))) }

func orNone(all []string) string {
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
