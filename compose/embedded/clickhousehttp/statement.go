package clickhousehttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crier/compose/embedded/chdb"

	"github.com/ClickHouse/ch-go/compress"
)

// statement is what one request asks for.
type statement struct {
	query      string
	body       io.Reader // of an insert, else read into query
	database   string    // empty: the session's own
	format     string    // of the output
	revision   int       // of the protocol, as the client has it
	parameters []chdb.Parameter
	settings   []setting
	compress   compress.Method
	compressed bool // the answer, in ClickHouse's blocks
}

type setting struct{ name, value string }

var (
	leading = `(?is)^\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*` // white space and comments

	insertPattern = regexp.MustCompile(leading + `INSERT\s+INTO\s.*\bFORMAT\s+\w+\s*;?\s*$`)
	readPattern   = regexp.MustCompile(leading + `(?:SELECT\b|WITH\b|\()`)
	lastFormat    = regexp.MustCompile(`(?is)\bFORMAT\s+(\w+)\s*;?\s*$`)
	// What these leave behind on a connection outlives the statement.
	stickyPattern  = regexp.MustCompile(leading + `(?:SET\b|USE\b|CREATE\s+TEMPORARY\b)`)
	settingPattern = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

func readStatement(r *http.Request) (*statement, error) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return nil, exception(48, "NOT_IMPLEMENTED", "the embedded engine takes no external tables")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" {
		return nil, exception(48, "NOT_IMPLEMENTED", "the embedded engine takes no Content-Encoding "+encoding)
	}
	s := &statement{format: "TabSeparated"}
	values := r.URL.Query()
	for name := range values {
		s.take(name, values.Get(name))
	}
	// Sorted: in the order of a map, the same request would be another SET each time.
	slices.SortFunc(s.settings, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	s.body = r.Body
	if values.Get("decompress") == "1" {
		s.body = blockReader{compress.NewReader(r.Body)}
	}
	if insertPattern.MatchString(s.query) {
		return s, nil
	}
	return s, s.readQuery()
}

// take reads one parameter of the URL. One that the interface does not define is a setting.
func (s *statement) take(name, value string) {
	switch name {
	case "query":
		s.query = value
	case "database":
		s.database = value
	case "default_format":
		s.format = value
	case "client_protocol_version":
		s.revision, _ = strconv.Atoi(value) // 0, the oldest, if it is no number
	case "compress":
		s.compressed = value == "1"
	case "network_compression_method":
		s.compress = compress.LZ4
		if strings.EqualFold(value, "ZSTD") {
			s.compress = compress.ZSTD
		}
	case "decompress", "query_id", "quota_key", "wait_end_of_query", "log_comment",
		"network_zstd_compression_level", "enable_http_compression":
		// nothing that the engine inside the process could make use of
	default:
		if parameter, ok := strings.CutPrefix(name, "param_"); ok {
			s.parameters = append(s.parameters, chdb.Parameter{Name: parameter, Value: value})
		} else if settingPattern.MatchString(name) {
			s.settings = append(s.settings, setting{name, value})
		}
	}
}

// readQuery adds the body to the query: the client sends it in either or both.
func (s *statement) readQuery() error {
	body, err := io.ReadAll(s.body)
	if err != nil {
		return fmt.Errorf("reading query: %w", err)
	}
	s.body = nil
	s.query = strings.TrimPrefix(s.query+"\n"+string(body), "\n")
	if match := lastFormat.FindStringSubmatch(s.query); match != nil && s.reads() {
		s.format = match[1]
	}
	return nil
}

// inserts reports whether the body is data to insert.
func (s *statement) inserts() bool { return s.body != nil }

// reads reports whether the output may be long and is best streamed.
func (s *statement) reads() bool { return readPattern.MatchString(s.query) }

// sticky reports whether the statement changes the connection it runs on.
func (s *statement) sticky() bool { return stickyPattern.MatchString(s.query) }

// insertFrom makes the insert read its data from file. It selects from the file, which
// says its types itself, rather than to take it FROM INFILE: an insert that brings its
// own data makes the engine look at stdin for more.
func (s *statement) insertFrom(file string) {
	at := lastFormat.FindStringSubmatchIndex(s.query)
	format := s.query[at[2]:at[3]]
	s.query = s.query[:at[0]] + "SELECT * FROM file(" + literal(file) + ", " + format + ")"
}

// blockReader gives ch-go's end of the input the value that io expects.
type blockReader struct{ r io.Reader }

func (b blockReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.EOF
	}
	return n, err
}
