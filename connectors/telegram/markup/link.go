package markup

import (
	"strconv"
	"strings"
)

// isEntityLink reports whether an address is that of a custom emoji or of a date, as
// tg://emoji?id=5368324170671202286 and tg://time?unix=1647531900&format=wDT are.
func isEntityLink(address string) bool {
	if query, ok := queryOf(address, "emoji"); ok {
		id, found := parameter(query, "id")
		return found && isWhole(id, 64)
	}
	query, ok := queryOf(address, "time")
	return ok && isDate(query)
}

// queryOf returns the query of an address of Telegram's own scheme with such a host.
func queryOf(address, host string) (query string, ok bool) {
	const scheme = "tg:"
	if len(address) < len(scheme) || lower(address[:len(scheme)]) != scheme {
		return "", false
	}
	address = strings.TrimPrefix(address[len(scheme):], "//")
	if len(address) < len(host) || lower(address[:len(host)]) != host {
		return "", false
	}
	query, ok = strings.CutPrefix(strings.TrimPrefix(address[len(host):], "/"), "?")
	query, _, _ = strings.Cut(query, "#")
	return query, ok
}

// parameter returns the first of a name.
func parameter(query, name string) (value string, found bool) {
	for pair := range strings.SplitSeq(query, "&") {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value, true
		}
	}
	return "", false
}

func isDate(query string) bool {
	isKnown, format := false, ""
	for pair := range strings.SplitSeq(query, "&") {
		switch key, value, _ := strings.Cut(pair, "="); key {
		case "unix":
			if !isWhole(value, 32) || strings.HasPrefix(value, "-") {
				return false
			}
			isKnown = true
		case "format":
			format = value
		}
	}
	return isKnown && isDateFormat(format)
}

// isDateFormat reports whether it is r for a date that is relative to now, or says of its parts how they
// are written.
func isDateFormat(format string) bool {
	return format == "r" || format == "R" || strings.Trim(format, "tTdDwW") == ""
}

// isWhole reports whether a text is a whole number of so many bits that is not zero, as it is usually
// written.
func isWhole(text string, bits int) bool {
	n, err := strconv.ParseInt(text, 10, bits)
	return err == nil && n != 0 && strconv.FormatInt(n, 10) == text
}
