package people

import (
	"maps"
	"slices"
	"strings"

	"crier/schema/lists"
)

// actions are those of the audit log, by what they are about.
var actions = map[string][]string{
	"account":      {"connect", "disconnect", "end", "pause", "resume", "revive", "update"},
	"brand":        {"create", "delete", "rename"},
	"dead_letters": {"replay"},
	"deletion":     {"ask", "confirm"},
	"device":       {"approve", "deny"},
	"email":        {"change"},
	"held":         {"cancel", "release"},
	"identity":     {"link", "unlink"},
	"installation": {"restore"},
	"invitation":   {"create", "withdraw"},
	"key":          {"create", "revoke", "rotate", "suspend", "unsuspend"},
	"keys":         {"confirm", "notify"},
	"media":        {"create", "delete", "update"},
	"member":       {"change", "join", "remove"},
	"monitor":      {"create", "delete", "update"},
	"passkey":      {"add", "remove", "rename"},
	"password":     {"change"},
	"post":         {"create", "delete", "retry", "update"},
	"queue":        {"create", "delete", "update"},
	"reply":        {"create"},
	"session":      {"begin", "end"},
	"user":         {"add", "link", "remove"},
	"webhook":      {"create", "delete", "disable", "redeliver", "rotate_secret", "update"},
	"work":         {"pause", "resume"},
	"workspace":    {"create", "limits", "plan", "redirects", "register"},
}

// ActionGroups returns the first parts of the audit log's actions, by the alphabet.
func ActionGroups() []string { return slices.Sorted(maps.Keys(actions)) }

// ActionsOf returns the actions with a first part, such as key.create; none where it is no first part.
func ActionsOf(group string) []string {
	return lists.Map(actions[group], func(verb string) string { return group + "." + verb })
}

// IsAction reports whether the audit log has an action, such as key.create.
func IsAction(name string) bool {
	group, verb, _ := strings.Cut(name, ".")
	return slices.Contains(actions[group], verb)
}
