package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgtype"
)

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
	return &idPlan{}, idValue(id.Bytes()), true
}

type idPlan struct{ next pgtype.EncodePlan }

func (p *idPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *idPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(uuid)
	if !ok {
		return nil, errors.New("value is no id")
	}
	return p.next.Encode(idValue(id.Bytes()), buf)
}

// idValue is an id as pgx's UUID codec takes it; the zero id is null.
type idValue [16]byte

func (v idValue) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: v, Valid: v != idValue{}}, nil
}
