package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
func (d days) within(flag string, least days) error {
	const most = 36_500
	if d < least || d > most {
		return fmt.Errorf("%s is from %v to %dd, not %v", flag, least, most, d)
	}
	return nil
}
