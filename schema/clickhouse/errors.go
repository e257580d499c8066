package clickhouse

import (
	"context"
	"errors"

	"github.com/ClickHouse/clickhouse-go/v2"

	"crier/schema"
)

// Codes of ClickHouse's errors that mean "not now" (src/Common/ErrorCodes.cpp).
const (
	codeTimeoutExceeded            = 159
	codeTooManySimultaneousQueries = 202
	codeMemoryLimitExceeded        = 241
)

// unavailable turns an error that means "ClickHouse does not answer" into one the caller
// can act on; it leaves any other as it is. Whatever is no exception of the server was
// said by the network, or by something in front of the server.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
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
