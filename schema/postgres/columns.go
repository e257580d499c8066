package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"crier/schema"
)

// ids is a column of ids as pgx's array codec takes it, without the reflection and the
// copies that it needs for a plain slice.
type ids[K schema.Kind] []schema.ID[K]

func idColumn[K schema.Kind](of []schema.ID[K]) ids[K] { return of }

func (c ids[K]) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(c)), LowerBound: 1}}
}

func (c ids[K]) Index(i int) any { return (*idValue)(&c[i]) }

func (c ids[K]) IndexType() any { return new(idValue) }
