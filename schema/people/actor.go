package people

import (
	"crier/schema/lists"
)

// ActorKind is what somebody is who does something. Its number is stored: it never changes.
type ActorKind int16

// The kinds of actors.
const (
	BySystem  ActorKind = iota + 1 // crier itself
	ByUser                         // somebody who is signed in
	ByKey                          // an API key
	ByDevice                       // an API key that a member gave a device
	ByCommand                      // the operator, by a command on the server's machine
	ByVisitor                      // somebody who is not known, such as who has the link to a page
)

var actorNames = [...]string{BySystem: "system", ByUser: "user", ByKey: "key", ByDevice: "device", ByCommand: "command", ByVisitor: "visitor"}

// String returns the kind's name in the API.
func (k ActorKind) String() string { return lists.Name(k, BySystem, actorNames[:], "actor") }

// MarshalText makes the kind its name in JSON.
func (k ActorKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Actor is who does something, as it is told later: its name is the one it had.
type Actor struct {
	Kind    ActorKind
	ID      string // of the user or the key; empty where there is none
	Name    string
	Address string // the network it came from; empty where it came from none
}

// ActorKinds returns the names of the kinds.
func ActorKinds() []string { return actorNames[BySystem:] }

// ParseActorKind reads the name of a kind; zero where it is none.
func ParseActorKind(name string) ActorKind { return lists.Number[ActorKind](name, actorNames[:]) }
