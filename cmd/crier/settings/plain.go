package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// plain is an error of the parser in the words of people: which file there is none of, and which
// values a flag of the command line takes.
func (s *Settings) plain(c *kong.Context, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		before, _, _ := strings.Cut(err.Error(), failed.Error())
		if strings.HasPrefix(before, "<") { // the name of an argument, which nobody typed
			before = ""
		}
		if errors.Is(failed, fs.ErrNotExist) {
			return fmt.Errorf("%sthere is no file %s", before, Typed(failed.Path))
		}
		return fmt.Errorf("%s%s: %w", before, Typed(failed.Path), failed.Err)
	}
	if refused := refusedValue.FindStringSubmatch(err.Error()); c != nil && refused != nil {
		for _, flag := range c.Flags() {
			if wanted := wantedOf(flag.Target); flag.Name == refused[1] && wanted != "" && !flag.Tag.Has(tagSecret) {
				return fmt.Errorf("--%s: %q is %s", flag.Name, refused[2], wanted)
			}
		}
	}
	return err
}

// refusedValue is how the parser refuses a value of a flag.
var refusedValue = regexp.MustCompile(`^--([a-z0-9-]+): [^"]*"([^"]*)"`)

// wantedOf says what kind of value a flag takes. It is empty for a flag whose own errors say that.
func wantedOf(target reflect.Value) string {
	switch target.Interface().(type) {
	case time.Duration:
		return "no duration: one such as 90s, 5m or 24h is wanted"
	case slog.Level:
		return "no level: debug, info, warn or error is wanted"
	case int, int64:
		return "no whole number"
	default:
		return ""
	}
}

// Typed returns a path as it was given, as far as can be told: relative to the folder one is in if it
// is below that. Kong makes each of them absolute.
func Typed(path string) string {
	folder, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}
