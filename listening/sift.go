package listening

import (
	"errors"

	"crier/schema"
	"crier/schema/guard"
)

// isOfData reports whether an error is of what was to be stored, so that it comes again with the
// same for ever: nobody can write it, or PostgreSQL refuses the value itself (SQLSTATE classes 22 and
// 54). Any other, such as of a table that is not as it should be, holds until somebody mends it.
func isOfData(err error) bool {
	if _, ok := errors.AsType[*guard.PanicError](err); ok {
		return true
	}
	refused, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	return ok && len(refused.SQLState()) == 5 && (refused.SQLState()[:2] == "22" || refused.SQLState()[:2] == "54")
}

// sift returns the finds without those that cannot be stored, which would hold all others back for
// ever. It stores the others on its way; each is found once, however often it is stored.
func sift(finds []schema.Find, store func([]schema.Find) error) []schema.Find {
	switch {
	case len(finds) == 0 || !isOfData(store(finds)):
		return finds
	case len(finds) == 1:
		return nil
	}
	half := len(finds) / 2
	first := sift(finds[:half], store)
	return append(first[:len(first):len(first)], sift(finds[half:], store)...)
}
