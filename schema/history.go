package schema

import "time"

// EventPlace is where an event stands in the order in which events are read. Each is
// placed once, when it is taken up on its way to ClickHouse; so what comes late, by a slow
// commit or a detour, comes after what was read before it, and is not missed.
type EventPlace struct {
	Position int64   // of its batch
	ID       EventID // among those of one position
}

// EventFilter selects events of a workspace.
type EventFilter struct {
	After EventPlace
	UpTo  int64 // the last position
	Types []EventType
	Limit int
}

// Horizon is how far events can be read without missing one.
type Horizon struct {
	Position int64     // all events placed until there are stored
	At       time.Time // UTC; all events committed before are stored
}

// EventQuery is what a client asks of the events of its workspace.
type EventQuery struct {
	After EventID // the last event that it has; zero: from the beginning
	Types []EventType
	Limit int
}

// EventPage is a part of the events of a workspace, in the order of their places.
type EventPage struct {
	Events        []Event
	More          bool
	CompleteUntil time.Time // UTC; when nothing more follows, all events committed before were given
}
