package db

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"crier/schema"
	"crier/schema/lists"
)

// ids is a column of ids as pgx's array codec takes it, without the reflection and the
// copies that it needs for a plain slice.
type ids[K schema.Kind] []schema.ID[K]

// IDColumn is a column of ids, to be sent as an array.
func IDColumn[K schema.Kind](of []schema.ID[K]) ids[K] { return of }

// IDs are those of an array as it was read.
func IDs[I ~[16]byte](raw [][16]byte) []I { return lists.Map(raw, func(id [16]byte) I { return id }) }

// ScanID reads an id.
func ScanID[I ~[16]byte](row pgx.Row, id *I) error {
	var raw [16]byte
	err := row.Scan(&raw)
	*id = I(raw)
	return err
}

func (c ids[K]) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(c)), LowerBound: 1}}
}

func (c ids[K]) Index(i int) any { return (*IDValue)(&c[i]) }

func (c ids[K]) IndexType() any { return new(IDValue) }

// uuid is any of schema's ids.
type uuid interface{ Bytes() [16]byte }

// registerIDs makes the connection send schema's ids as UUIDs. pgx would take their
// String method for the text of the value.
func registerIDs(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapID}, types.TryWrapEncodePlanFuncs...)
}

func wrapID(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	id, ok := value.(uuid)
	if !ok {
		return nil, nil, false
	}
	return &idPlan{}, IDValue(id.Bytes()), true
}

type idPlan struct{ next pgtype.EncodePlan }

func (p *idPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *idPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(uuid)
	if !ok {
		return nil, errors.New("value is no id")
	}
	return p.next.Encode(IDValue(id.Bytes()), buf)
}

// IDValue is an id as pgx's UUID codec takes it; the zero id is null.
type IDValue [16]byte

// UUIDValue implements pgtype.UUIDValuer.
func (v IDValue) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: v, Valid: v != IDValue{}}, nil
}
