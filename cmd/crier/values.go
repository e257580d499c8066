package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// counted is a number of things: 1 post, 2 posts.
func counted[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// readIDs reads the ids of what a command is for, each once. Without any it is for all,
// which has to be said.
func readIDs[T comparable](texts []string, all bool, what string, parse func(string) (T, error)) ([]T, error) {
	var ids []T
	for _, text := range texts {
		id, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", text, err)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 && !all {
		return nil, fmt.Errorf("name %s, or --all", what)
	}
	return ids, nil
}

// listFlags are those of a list on the database.
type listFlags struct {
	partsFlags
	JSON  bool `name:"json" env:"-" help:"One JSON object a line."`
	Limit int  `default:"1000" env:"-" help:"How many to list."`
}

// Validate refuses what lists nothing.
func (f listFlags) Validate() error {
	if f.Limit < 1 {
		return errors.New("--limit is at least 1")
	}
	return f.partsFlags.Validate()
}

// tellMore says how a list goes on that is as long as it may be.
func tellMore(last string) { fmt.Fprintf(os.Stderr, "there may be more: --after %q\n", last) }

// days is a number of days on the command line: 730d.
type days int

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *days) UnmarshalText(text []byte) error {
	number, ok := strings.CutSuffix(string(text), "d")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return fmt.Errorf("%q: a number of days such as 30d is wanted", text)
	}
	*d = days(n)
	return nil
}

// String is the number as the command line has it.
func (d days) String() string { return strconv.Itoa(int(d)) + "d" }

func (d days) duration() time.Duration { return time.Duration(d) * 24 * time.Hour }

// within refuses what nobody means: to keep nothing, or for longer than can be counted.
func (d days) within(flag string, minimum days) error {
	const maximum = 36_500
	if d < minimum || d > maximum {
		return fmt.Errorf("%s is from %v to %dd, not %v", flag, minimum, maximum, d)
	}
	return nil
}
