package dashboards

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// store is ClickHouse.
type store interface {
	// Read gives the rows of a view to take, the names of its columns first; more says that
	// rows are left.
	Read(ctx context.Context, q schema.ViewQuery, columns func([]string) error, take func([]any) error) (more bool, err error)
}

const (
	// MinToken is how long a token is at least.
	MinToken = 16

	defaultSpan = 24 * time.Hour
	maxSpan     = 366 * 24 * time.Hour
	defaultRows = 10_000
	maxRows     = 100_000
	timeout     = time.Minute
	atOnce      = 4 // queries
)

// Config is what views are served with.
type Config struct {
	Store  store
	Token  string
	Now    func() time.Time
	Logger *slog.Logger
}

// New returns the handler of GET /views/{file}.
func New(c Config) http.Handler {
	return &handler{Config: c, want: sha256.Sum256([]byte(c.Token)), places: make(chan struct{}, atOnce)}
}

type handler struct {
	Config
	want   [sha256.Size]byte
	places chan struct{}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.admits(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, "the token of --views-token is wanted: Authorization: Bearer …")
		return
	}
	query, encode, err := h.read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d views are being read; try again", atOnce))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	encode(h, ctx, w, query)
}

func (h *handler) admits(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	got := sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(got[:], h.want[:]) == 1
}

type encoding func(h *handler, ctx context.Context, w http.ResponseWriter, q schema.ViewQuery)

// read reads what a request asks for.
func (h *handler) read(r *http.Request) (q schema.ViewQuery, encode encoding, err error) {
	name, format, _ := strings.Cut(r.PathValue("file"), ".")
	switch format {
	case "json":
		encode = (*handler).json
	case "csv":
		encode = (*handler).csv
	default:
		return q, nil, errors.New("a view is read as .json or .csv")
	}
	values := r.URL.Query()
	for name := range values {
		if !slices.Contains([]string{"workspace", "from", "to", "limit"}, name) {
			return q, nil, fmt.Errorf("%q is no parameter: workspace, from, to and limit are", name)
		}
	}
	q = schema.ViewQuery{View: name, To: h.Now(), Limit: defaultRows}
	if text := values.Get("workspace"); text != "" {
		if q.Workspace, err = schema.ParseID[schema.WorkspaceID](text); err != nil {
			return q, nil, fmt.Errorf("workspace: %w", err)
		}
	}
	if q.To, err = timeOf(values.Get("to"), q.To); err != nil {
		return q, nil, fmt.Errorf("to: %w", err)
	}
	if q.From, err = timeOf(values.Get("from"), q.To.Add(-defaultSpan)); err != nil {
		return q, nil, fmt.Errorf("from: %w", err)
	}
	switch {
	case !q.From.Before(q.To):
		return q, nil, errors.New("from must be before to")
	case q.To.Sub(q.From) > maxSpan:
		return q, nil, errors.New("from must be at most 366 days before to")
	case q.From.Year() < 2000 || q.To.Year() > 2100:
		return q, nil, errors.New("the range must be between the years 2000 and 2100")
	}
	if text := values.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > maxRows {
			return q, nil, fmt.Errorf("limit must be a whole number from 1 to %d", maxRows)
		}
	}
	return q, encode, nil
}

// timeOf reads a time, or a day, which begins at midnight UTC.
func timeOf(text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, errors.New("a day such as 2026-03-14 or a time such as 2026-03-14T15:09:26Z is wanted")
	}
	return at, nil
}

// csv answers with the rows; the trailer X-More says whether rows are left.
func (h *handler) csv(ctx context.Context, w http.ResponseWriter, q schema.ViewQuery) {
	w.Header().Set("Trailer", "X-More")
	table := csv.NewWriter(w)
	begun := false
	more, err := h.Store.Read(ctx, q, func(columns []string) error {
		begun = true
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		return table.Write(columns)
	}, func(row []any) error {
		cells := make([]string, len(row))
		for i, value := range row {
			cells[i] = cell(value)
		}
		return table.Write(cells)
	})
	table.Flush()
	if err != nil {
		h.fail(ctx, w, begun, err)
		return
	}
	w.Header().Set("X-More", strconv.FormatBool(more))
}

// cell is a value in CSV: empty for null, and nothing that a spreadsheet takes for a formula.
func cell(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		if value != "" && strings.ContainsRune("=+-@\t\r", rune(value[0])) {
			return "'" + value
		}
		return value
	case []string:
		return strings.Join(value, " ")
	default:
		return fmt.Sprint(value)
	}
}

// json answers with {"columns": […], "rows": [[…], …], "more": …}.
func (h *handler) json(ctx context.Context, w http.ResponseWriter, q schema.ViewQuery) {
	begun, separator := false, ""
	write := func(before string, value any) error {
		encoded, err := json.Marshal(value)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s", before, encoded)
		}
		return err
	}
	more, err := h.Store.Read(ctx, q, func(columns []string) error {
		begun = true
		w.Header().Set("Content-Type", "application/json")
		if err := write(`{"columns":`, columns); err != nil {
			return err
		}
		_, err := fmt.Fprint(w, `,"rows":[`)
		return err
	}, func(row []any) error {
		err := write(separator+"\n", row)
		separator = ","
		return err
	})
	if err != nil {
		h.fail(ctx, w, begun, err)
		return
	}
	_, _ = fmt.Fprintf(w, "],\"more\":%t}\n", more) // fails only when the client went away
}

// fail answers an error, or cuts an answer that has begun: half of one must not pass for whole.
func (h *handler) fail(ctx context.Context, w http.ResponseWriter, begun bool, err error) {
	h.Logger.WarnContext(ctx, "reading a view failed", "err", err)
	if begun {
		panic(http.ErrAbortHandler)
	}
	status, message := http.StatusInternalServerError, "the view could not be read; the log says why"
	if refusal, ok := errors.AsType[*schema.Error](err); ok {
		message = refusal.Message
		switch refusal.Kind {
		case schema.NotFound:
			status = http.StatusNotFound
		case schema.Invalid:
			status = http.StatusBadRequest
		case schema.Unavailable:
			status = http.StatusServiceUnavailable
		}
	}
	refuse(w, status, message)
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": message}) // fails only when the client went away
}
