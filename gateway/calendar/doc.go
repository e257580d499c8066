// Package calendar knows time zones by their names and finds the next free slots of a queue's
// week, in the zone that its owner lives in.
package calendar
