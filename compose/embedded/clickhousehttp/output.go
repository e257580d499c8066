package clickhousehttp

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/ClickHouse/ch-go/compress"
)

// output writes an answer. Once its first bytes are sent the status is fixed, and an
// error can only follow the data, in the frame that ClickHouse has for it.
type output struct {
	w          http.ResponseWriter
	compressor *compress.Writer // nil: as it is
	started    bool
}

func newOutput(w http.ResponseWriter, s *statement) *output {
	w.Header().Set("X-ClickHouse-Format", s.format)
	w.Header().Set("X-ClickHouse-Timezone", "UTC")
	o := &output{w: w}
	if s.compressed {
		o.compressor = compress.NewWriter(compress.LevelZero, s.compress)
	}
	return o
}

func (o *output) write(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if o.compressor != nil {
		if err := o.compressor.Compress(data); err != nil {
			return fmt.Errorf("compressing output: %w", err)
		}
		data = o.compressor.Data
	}
	o.started = true
	if _, err := o.w.Write(data); err != nil {
		return fmt.Errorf("sending output: %w", err)
	}
	return nil
}

// fail reports err to the client.
func (o *output) fail(err error) {
	if !o.started {
		fail(o.w, err)
		return
	}
	const tag = "crier-exception0" // 16 bytes; a real server draws them at random
	text := withCode(err)
	_ = o.write(fmt.Appendf(nil, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n",
		tag, text, len(text)+1, tag)) // a client that left needs no answer
}

var codePattern = regexp.MustCompile(`^Code: (\d+)\. `)

// fail answers with an error, the way that clients read its code from.
func fail(w http.ResponseWriter, err error) {
	text := withCode(err)
	code := codePattern.FindStringSubmatch(text)[1]
	w.Header().Set("X-ClickHouse-Exception-Code", code)
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.WriteHeader(status(code))
	_, _ = fmt.Fprintln(w, text) // a client that left needs no answer
}

// withCode gives errors that are not the engine's the code of unknown exceptions.
func withCode(err error) string {
	if codePattern.MatchString(err.Error()) {
		return err.Error()
	}
	const unknownException = 1002
	return exception(unknownException, "UNKNOWN_EXCEPTION", err.Error()).Error()
}

func exception(code int, name, message string) error {
	return fmt.Errorf("Code: %d. DB::Exception: %s. (%s)", code, message, name) //nolint:staticcheck // ClickHouse's form
}

var errAuthentication = exception(516, "AUTHENTICATION_FAILED", "Authentication failed: password is incorrect, or there is no such user")

// status maps a code as a real server does (exceptionCodeToHTTPStatus in its source).
func status(code string) int {
	switch n, _ := strconv.Atoi(code); n {
	case 516: // AUTHENTICATION_FAILED
		return http.StatusForbidden
	case 46, 47, 60, 81: // UNKNOWN_FUNCTION, _IDENTIFIER, _TABLE, _DATABASE
		return http.StatusNotFound
	case 27, 43, 53, 62, 117: // parsing, types, syntax
		return http.StatusBadRequest
	case 48: // NOT_IMPLEMENTED
		return http.StatusNotImplemented
	default:
		return http.StatusInternalServerError
	}
}
