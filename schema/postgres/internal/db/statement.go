package db

import (
	"context"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"

	"crier/schema/postgres/internal/sql"
)

// Statement is SQL with named parameters for the hot path: its names are replaced once,
// when the process starts, where pgx would do it at each call.
type Statement struct {
	text  string
	names []string // of $1, $2, …
}

var parameter = regexp.MustCompile(`@([A-Za-z_]\w*)`)

// NewStatement writes a statement out, as sql.Text does. It panics where pgx cannot read it.
func NewStatement(statement string) *Statement {
	text := sql.Text(statement)
	names := pgx.NamedArgs{}
	for _, found := range parameter.FindAllStringSubmatch(text, -1) {
		names[found[1]] = found[1]
	}
	rewritten, order, err := names.RewriteQuery(context.Background(), nil, text, nil)
	if err != nil {
		panic(fmt.Sprintf("preparing %s: %v", text, err))
	}
	s := &Statement{text: rewritten}
	for _, name := range order {
		if name, ok := name.(string); ok {
			s.names = append(s.names, name)
		}
	}
	return s
}

// Queue adds the statement with its parameters, which have to be all of them and no other.
func (s *Statement) Queue(b *pgx.Batch, parameters pgx.StrictNamedArgs) *pgx.QueuedQuery {
	return b.Queue(s.text, bound{s, parameters})
}

// bound is a statement with its parameters, as pgx takes it.
type bound struct {
	*Statement
	parameters pgx.StrictNamedArgs
}

// RewriteQuery implements pgx.QueryRewriter.
func (b bound) RewriteQuery(context.Context, *pgx.Conn, string, []any) (text string, args []any, err error) {
	args = make([]any, len(b.names))
	for i, name := range b.names {
		value, ok := b.parameters[name]
		if !ok {
			return "", nil, fmt.Errorf("the parameter %s is missing", name)
		}
		args[i] = value
	}
	if len(b.parameters) != len(b.names) {
		return "", nil, fmt.Errorf("%d parameters are given to a statement of %d", len(b.parameters), len(b.names))
	}
	return b.text, args, nil
}
