package schema

// EntrySet is a set of entries of a post, by their positions. Its bits are stored: bit i
// stands for the entry at i.
type EntrySet int32

// Has tells whether an entry is in the set.
func (s EntrySet) Has(entry int) bool { return s&(1<<entry) != 0 }

// With returns the set with an entry.
func (s EntrySet) With(entry int) EntrySet { return s | 1<<entry }

// Without returns the set without an entry.
func (s EntrySet) Without(entry int) EntrySet { return s &^ (1 << entry) }

// From returns the entries of the set that are not before a position.
func (s EntrySet) From(entry int) EntrySet { return s &^ (1<<entry - 1) }
