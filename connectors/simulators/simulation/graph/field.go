package graph

import (
	"strings"

	"crier/connectors/simulators/simulation"
)

// What Meta's servers do that no document tells of, each forced by its marker in a text.
const (
	// markUnknown: the first container of the text reads as ready for ever, and publishing it is answered
	// as if it were not there (gitroomhq/postiz-app #2047, 210 of 584 errors in 45 days).
	markUnknown = "[crier:container-unknown]"
	// markUnread: for a minute reads of its containers are refused as without permission
	// (geoff-maddock/events-tracker #1900, in May 2026 for days).
	markUnread = "[crier:container-unread]"
	// markUnsaid: for a minute reads of its containers do not say how they stand, which clients wait for
	// (trypost-it/trypost 0277643) or take for finished (getopenpost/openpost af01882).
	markUnsaid = "[crier:container-unsaid]"
)

// IsUnknown reports whether publishing an account's container of a text is answered as if it were not there.
func IsUnknown(a *simulation.Account, text, container string) bool {
	if !strings.Contains(text, markUnknown) {
		return false
	}
	first, _ := a.Data.LoadOrStore("first container of "+text, container)
	return first == container
}

// IsUnsaid reports whether a container of a text does not say now how it stands.
func IsUnsaid(w *simulation.World, text string, container simulation.Upload) bool {
	return strings.Contains(text, markUnsaid) && w.Now().Sub(container.CreatedAt) < simulation.LateList
}

// IsUnread reports whether a container of a text cannot be read now.
func IsUnread(w *simulation.World, text string, container simulation.Upload) bool {
	return strings.Contains(text, markUnread) && w.Now().Sub(container.CreatedAt) < simulation.LateList
}
