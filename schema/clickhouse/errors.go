package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"

	"github.com/ClickHouse/clickhouse-go/v2"

	"crier/schema"
	"crier/schema/secure"
)

// Codes of ClickHouse's errors that mean "too much" or "not now" (src/Common/ErrorCodes.cpp).
const (
	codeTooManyRows                = 158
	codeTimeoutExceeded            = 159
	codeTooManySimultaneousQueries = 202
	codeMemoryLimitExceeded        = 241
)

// Codes of ClickHouse's errors that refuse a user.
const (
	codeUnknownUser          = 192
	codeWrongPassword        = 193
	codeRequiredPassword     = 194
	codeAuthenticationFailed = 516
)

// flags are those that say how ClickHouse is reached.
var flags = secure.Flags{Address: "--clickhouse", CA: "--clickhouse-ca", Plain: "one that begins with http:// where it is in a network of your own"}

// explain says which flag an error of connecting is about.
func (c Config) explain(err error) error {
	if strings.HasPrefix(c.URL, "http://") && isHungUp(err) {
		return fmt.Errorf("no HTTP is answered at the port that --clickhouse names; TLS may be spoken there: begin it with https:// (%w)", err)
	}
	if explained := cmp.Or(secure.Explain(err, flags), secure.Silence(err, flags), secure.Absence(err, flags)); explained != nil {
		return explained
	}
	e, ok := errors.AsType[*clickhouse.Exception](err)
	if !ok {
		return err
	}
	switch e.Code {
	case codeUnknownUser, codeWrongPassword, codeRequiredPassword, codeAuthenticationFailed:
		return fmt.Errorf("ClickHouse refuses the user in --clickhouse or its password, there or in --clickhouse-password: %w", err)
	default:
		return err
	}
}

// isHungUp reports whether the server understood nothing of what it was asked.
func isHungUp(err error) bool {
	if refused, ok := errors.AsType[*clickhouse.HTTPError](err); ok && refused.StatusCode == http.StatusBadRequest {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// unavailable turns an error that means "ClickHouse does not answer" into one that the
// caller can act on, and leaves any other as it is. An error that is no exception of the
// server comes from the network, or from a proxy in front of the server.
func unavailable(err error) error {
	if _, refused := errors.AsType[*schema.Error](err); refused || err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if e, ok := errors.AsType[*clickhouse.Exception](err); ok {
		switch e.Code {
		case codeTimeoutExceeded, codeTooManySimultaneousQueries, codeMemoryLimitExceeded:
		default:
			return err
		}
	}
	return &schema.Error{Kind: schema.Unavailable, Message: "analytics do not answer; try again", Err: err}
}

// wrap says what was being done when an error came up, which unavailable has judged; nil stays nil.
func wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, unavailable(err))
}

// refusals are the codes of ClickHouse's errors by which it refuses what it was given, and
// will again (src/Common/ErrorCodes.cpp). Any other may be gone after a while: memory, disk,
// too many parts, a table that is not there yet.
var refusals = map[int32]bool{
	6:   true, // CANNOT_PARSE_TEXT
	26:  true, // CANNOT_PARSE_QUOTED_STRING
	27:  true, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
	33:  true, // CANNOT_READ_ALL_DATA
	38:  true, // CANNOT_PARSE_DATE
	41:  true, // CANNOT_PARSE_DATETIME
	53:  true, // TYPE_MISMATCH
	62:  true, // SYNTAX_ERROR
	69:  true, // ARGUMENT_OUT_OF_BOUND
	70:  true, // CANNOT_CONVERT_TYPE
	72:  true, // CANNOT_PARSE_NUMBER
	117: true, // INCORRECT_DATA
	131: true, // TOO_LARGE_STRING_SIZE
	321: true, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
	349: true, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
	376: true, // CANNOT_PARSE_UUID
	407: true, // DECIMAL_OVERFLOW
	469: true, // VIOLATED_CONSTRAINT
}

// unlessRefused turns any error of an insertion but a refusal of what was inserted into one
// that means "not now".
func unlessRefused(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, errMalformed) {
		return err
	}
	if e, ok := errors.AsType[*clickhouse.Exception](err); ok && refusals[e.Code] {
		return err
	}
	return &schema.Error{Kind: schema.Unavailable, Message: "analytics do not answer; try again", Err: err}
}

// errMalformed means that an event does not fit the columns of its table.
var errMalformed = errors.New("malformed event")
