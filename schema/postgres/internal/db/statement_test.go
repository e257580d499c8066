package db

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestStatementsTakeTheirParametersByName(t *testing.T) {
	s := NewStatement(`select @late::interval, '@quoted', content @> @late || @app`)
	for name, tt := range map[string]struct {
		given pgx.StrictNamedArgs
		want  []any
	}{
		"all of them":           {pgx.StrictNamedArgs{"app": 2, "late": 1}, []any{1, 2}},
		"one is missing":        {pgx.StrictNamedArgs{"late": 1}, nil},
		"one is misspelt":       {pgx.StrictNamedArgs{"late": 1, "apps": 2}, nil},
		"there is one too many": {pgx.StrictNamedArgs{"late": 1, "app": 2, "quoted": 3}, nil},
	} {
		sql, args, err := bound{s, tt.given}.RewriteQuery(t.Context(), nil, "", nil)
		if (err == nil) != (tt.want != nil) || !slices.Equal(args, tt.want) {
			t.Errorf("%s: %v, %v", name, args, err)
		}
		if err == nil && sql != `select $1::interval, '@quoted', content @> $1 || $2` {
			t.Errorf("%s: %s", name, sql)
		}
	}
}
