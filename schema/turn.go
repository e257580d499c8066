package schema

// Turn is the turn of one call to a platform, reserved before the claim that records the
// call. Whoever reserved it holds it until that call.
type Turn interface {
	// Use tells whether the turn is there, and uses it up: once, and not too late.
	Use() bool
	// Cancel gives the turn to others, unless it was used.
	Cancel()
}
