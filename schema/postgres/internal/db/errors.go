package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/secure"
)

// Unavailable turns an error that means "the database does not answer" into one the
// caller can act on; it leaves any other as it is.
func Unavailable(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == keyDropped {
		return &schema.Error{Kind: schema.Unavailable, Message: "the keys of crier's vault have just changed; try again", Err: schema.ErrKeyDropped}
	}
	if err == nil || !IsConnectionError(err) {
		return err
	}
	if _, ok := errors.AsType[*schema.Error](err); ok {
		return err
	}
	return &schema.Error{Kind: schema.Unavailable, Message: "the database does not answer; try again", Err: err}
}

// Wrap says what was being done when an error came up, and makes it one the caller can act on as Unavailable
// does; nil stays nil.
func Wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, Unavailable(err))
}

// flags are those that say how PostgreSQL is reached.
var flags = secure.Flags{Address: "--postgres", CA: "--postgres-ca", Plain: "take --postgres-ca and sslmode out"}

// Explain says which flag an error of connecting is about; it leaves any other as it is.
func Explain(err error) error {
	if explained := cmp.Or(secure.Explain(err, flags), secure.Silence(err, flags), secure.Absence(err, flags)); explained != nil {
		return explained
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && (pg.Code == "28P01" || pg.Code == "28000") {
		return fmt.Errorf("PostgreSQL refuses the user in --postgres, or its password, there or in --postgres-password: %w", err)
	}
	if connect, ok := errors.AsType[*pgconn.ConnectError](err); ok && strings.Contains(connect.Error(), "server refused TLS connection") {
		return fmt.Errorf("PostgreSQL speaks no TLS at the port that --postgres names, and --postgres-ca or sslmode there asks for it: %w", err)
	}
	return err
}

// keyDropped is how refuse_dropped_key refuses a row.
const keyDropped = "CR001"

// IsConnectionError reports whether the server was not reached, went away, or lacks
// resources (SQLSTATE classes 08, 53, 57 and 58, and 25006 after a failover).
func IsConnectionError(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:2] {
		case "08", "53", "57", "58":
			return true
		}
		return pg.Code == "25006" || pg.Code == "25P04" || pg.Code == "55P03" || pg.Code == "40001" || pg.Code == "40P01"
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || pgconn.SafeToRetry(err) ||
		errors.Is(err, context.DeadlineExceeded) || isClosed(err)
}

// isClosed reports whether the connection ended under the query.
func isClosed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn closed") ||
		strings.Contains(text, "connection reset") || strings.Contains(text, "broken pipe") ||
		strings.Contains(text, "closed pool")
}

// NotFound is the answer to an id that is not there, or another workspace's.
func NotFound(what string) error {
	return &schema.Error{Kind: schema.NotFound, Message: what + " not found"}
}

// OrNotFound turns an empty result into NotFound.
func OrNotFound(err error, what string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return NotFound(what)
	}
	return Unavailable(err)
}

// IsDataError reports whether one of the values of a batch may be at fault: the server
// refused it for its data, its row could not be read, or its look found what belongs to
// another.
func IsDataError(err error) bool {
	if errors.Is(err, errUnreadable) || errors.Is(err, schema.ErrReceiptTaken) {
		return true
	}
	if _, panicked := errors.AsType[*guard.PanicError](err); panicked {
		return true
	}
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok && !IsConnectionError(err)
}

// WithoutPassword removes the URL from an error of parsing it.
func WithoutPassword(err error) error {
	if parse, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		return errors.Unwrap(parse)
	}
	return err
}
