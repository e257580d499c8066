package importer

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// outcome is the result of one row: a line of the results file.
type outcome struct {
	row          int
	status       string // one of those below
	postID       string
	scheduledFor string
	notes        []note // what is wrong with the row, or warned of
}

// note is an error or a warning about a row.
type note struct{ field, code, message string }

// between parts what is said of one row in a cell of the results.
const between = "; "

// text is the message behind the field it is about.
func (s note) text() string { return s.prefix() + s.message }

func (s note) prefix() string {
	if s.field == "" {
		return ""
	}
	return s.field + ": "
}

// What becomes of a row.
const (
	created   = "created"
	updated   = "updated"   // its post was there, and is as the row says now
	unchanged = "unchanged" // its post was there, as the row says
	skipped   = "skipped"   // its post is published, or has ended otherwise
	toCreate  = "to_create" // of a dry run: its post would be made
	toUpdate  = "to_update" // of a dry run: its post would be changed
	failed    = "failed"
	unknown   = "unknown" // it was on its way when an import ended, and crier has forgotten its key by now
)

var resultsHeader = []string{"row", "status", "postId", "scheduledFor", "code", "message", "field"}

func (o outcome) record() []string {
	var codes, texts, fields []string
	for _, s := range o.notes {
		codes, texts, fields = append(codes, s.code), append(texts, s.text()), append(fields, s.field)
	}
	return []string{
		strconv.Itoa(o.row), o.status, o.postID, o.scheduledFor,
		strings.Join(codes, between), strings.Join(texts, between), strings.Join(fields, between),
	}
}

// state says which import the results belong to. It is a file beside theirs.
type state struct {
	ID       string    `json:"id"`   // of the import: its keys are made from it
	File     string    `json:"file"` // SHA-256 of what is imported
	Key      string    `json:"key"`  // start of the SHA-256 of the API key: posts of another key's workspace are others
	URL      string    `json:"url"`
	Timezone string    `json:"timezone"`
	Map      string    `json:"map,omitempty"` // start of the SHA-256 of what the columns mean
	Began    time.Time `json:"began"`         // when the first run did
	SentAt   time.Time `json:"sentAt"`        // when it last sent something, to within a minute
}

// journal holds the results of an import, in the order of the rows, and the state that is
// needed to resume it.
type journal struct {
	state   state
	path    string // of the state
	lock    *flock.Flock
	file    *os.File
	out     *csv.Writer
	done    int // rows that have a line
	resumed bool
	aside   string // what the results of an import before are called now; empty: there are none
}

// keyLife is how long crier is sure to know an Idempotency-Key.
const keyLife = 23 * time.Hour

// openJournal begins an import's results, or finds those of an earlier run that did not
// come to its end. It refuses the results of another file, key or server.
func openJournal(results string, of survey, now time.Time) (*journal, error) {
	j := &journal{path: results + ".state", lock: flock.New(results + ".lock")}
	mine, err := j.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the results: %w", err)
	}
	if !mine {
		return nil, fmt.Errorf("another import writes %s", results)
	}
	if err := j.open(results, of, now); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

func (j *journal) open(results string, of survey, now time.Time) error {
	text, err := os.ReadFile(j.path)
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &j.state); err != nil {
			return fmt.Errorf("reading %s: %w", j.path, err)
		}
		if err := j.state.same(of.state, results); err != nil {
			return err
		}
		j.resumed = true
		if _, err := os.Stat(results); errors.Is(err, os.ErrNotExist) && j.forgotten(now) {
			return fmt.Errorf("%s is gone, which says what was sent, and crier has forgotten it by now: put it back, or look which posts are there and move %s away to begin anew", results, j.path)
		}
	case errors.Is(err, os.ErrNotExist):
		if j.aside, err = setAside(results, of.nameless); err != nil {
			return err
		}
		j.state, j.state.ID = of.state, uuid.NewString()
		if err := j.save(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("reading %s: %w", j.path, err)
	}
	if j.file, err = os.OpenFile(results, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("opening the results: %w", err)
	}
	return nil
}

// setAside gives the results of an import that is done another name, if the file can be imported again
// without making a post twice, and returns that; empty: there are none.
func setAside(results string, nameless int) (string, error) {
	if !exists(results) {
		return "", nil
	}
	if nameless > 0 {
		return "", fmt.Errorf("%s holds the results of an import that is done%s. Imported once more, %s of the file without an id or externalId would make new posts: if that is meant, move it away",
			results, correctable(results), counted(nameless, "row"))
	}
	stem := strings.TrimSuffix(results, ".csv")
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d.csv", stem, n)
		if exists(name) {
			continue
		}
		if err := os.Rename(results, name); err != nil {
			return "", fmt.Errorf("putting the results of the import before aside: %w", err)
		}
		return name, nil
	}
}

// exists reports whether there is a file, or something that keeps one from being looked for.
func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, os.ErrNotExist)
}

func (s state) same(fresh state, results string) error {
	again := "; move " + results + " and " + results + ".state away to begin anew"
	switch {
	case s.File != fresh.File:
		return errors.New("the file has changed since its import began" + again)
	case s.Key != fresh.Key || s.URL != fresh.URL:
		return errors.New("the import began with another key or URL: finish it with that one" + again)
	case s.Timezone != fresh.Timezone:
		return fmt.Errorf("the import began with --timezone %s: finish it with that one%s", s.Timezone, again)
	case s.Map != fresh.Map:
		return errors.New("the import began with another --map, --platforms or --days: finish it with those" + again)
	}
	return nil
}

// resume keeps the lines of complete chunks and returns the first chunk that is not complete.
// What a crash has left of that one is cut off: it is sent again under its key.
func (j *journal) resume(chunks *chunker) (chunk, error) {
	reader := csv.NewReader(bufio.NewReader(j.file))
	reader.FieldsPerRecord = len(resultsHeader)
	if _, err := reader.Read(); err != nil { // not even the header is whole, or an earlier version's
		return j.restart(chunks)
	}
	end := reader.InputOffset()
	for {
		c, err := chunks.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return c, err
		}
		for range c.rows {
			if _, readErr := reader.Read(); readErr != nil {
				return c, j.continueAt(end)
			}
		}
		if errors.Is(err, io.EOF) {
			return c, errors.Join(j.continueAt(end), err)
		}
		end = reader.InputOffset()
		j.done += len(c.rows)
	}
}

func (j *journal) restart(chunks *chunker) (chunk, error) {
	if err := j.continueAt(0); err != nil {
		return chunk{}, err
	}
	if err := j.out.Write(resultsHeader); err != nil {
		return chunk{}, fmt.Errorf("writing the results: %w", err)
	}
	c, err := chunks.next()
	if errors.Is(err, io.EOF) { // a file without rows: its results are the header
		j.out.Flush()
		err = errors.Join(j.out.Error(), err)
	}
	return c, err
}

func (j *journal) continueAt(offset int64) error {
	if err := j.file.Truncate(offset); err != nil {
		return fmt.Errorf("cutting the results: %w", err)
	}
	if _, err := j.file.Seek(offset, io.SeekStart); err != nil {
		return fmt.Errorf("cutting the results: %w", err)
	}
	j.out = csv.NewWriter(j.file)
	return nil
}

// forgotten reports whether crier may have forgotten the keys of chunks that were in flight
// when the import ended: sending those again could create their posts twice.
func (j *journal) forgotten(now time.Time) bool {
	return j.resumed && !j.state.SentAt.IsZero() && now.Sub(j.state.SentAt) > keyLife
}

// write adds the lines of one chunk, and hands them to the operating system before it returns:
// a crash of the process loses none, and after one of the machine chunks are sent again.
func (j *journal) write(outcomes []outcome) error {
	for _, o := range outcomes {
		if err := j.out.Write(o.record()); err != nil {
			return fmt.Errorf("writing the results: %w", err)
		}
	}
	j.out.Flush()
	if err := j.out.Error(); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	j.done += len(outcomes)
	return nil
}

// sending records that something is sent now, to within a minute.
func (j *journal) sending(now time.Time) error {
	if now.Sub(j.state.SentAt) < time.Minute {
		return nil
	}
	j.state.SentAt = now
	return j.save()
}

// save replaces the state's file as a whole.
func (j *journal) save() error {
	text, err := json.MarshalIndent(j.state, "", "  ")
	if err == nil {
		err = os.WriteFile(j.path+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(j.path+".new", j.path)
	}
	if err != nil {
		return fmt.Errorf("writing the state of the import: %w", err)
	}
	return nil
}

// each reads every line.
func (j *journal) each(take func(result) error) error {
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the results: %w", err)
	}
	return eachResult(j.file, take)
}

// finish ends an import that is done: its results stay, its state is removed.
func (j *journal) finish() error {
	if err := os.Remove(j.path); err != nil {
		return fmt.Errorf("removing the state of the import: %w", err)
	}
	return nil
}

// forget removes the results and the state of an import that has made nothing.
func (j *journal) forget() error {
	if err := errors.Join(os.Remove(j.file.Name()), os.Remove(j.path)); err != nil {
		return fmt.Errorf("removing the results of an import that has not begun: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	var err error
	if j.file != nil {
		err = errors.Join(j.file.Sync(), j.file.Close())
	}
	return errors.Join(err, j.lock.Unlock(), os.Remove(j.lock.Path()))
}

// digest is the SHA-256 of a file, in hex.
func digest(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("reading the file: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keyDigest identifies a key without revealing it.
func keyDigest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:6])
}

// resultsOf names the file for the results of a file.
func resultsOf(file string) string { return filepath.Clean(file) + resultsEnding }

const resultsEnding = ".results.csv"
