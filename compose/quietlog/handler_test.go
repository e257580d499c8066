package quietlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"crier/compose/quietlog"
)

func TestAnOutageIsToldOnceASecond(t *testing.T) {
	var text bytes.Buffer
	handler := quietlog.New(slog.NewTextHandler(&text, nil))
	start := time.Now()
	tell := func(after time.Duration, level slog.Level, message string, err error) {
		t.Helper()
		r := slog.NewRecord(start.Add(after), level, message, 0)
		r.AddAttrs(slog.Any("err", err))
		if err := handler.Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 1000 { // within 0.9 s
		tell(time.Duration(n)*900*time.Microsecond, slog.LevelWarn, "request turned away", fmt.Errorf("dial 127.0.0.1:%d: refused", 40000+n))
	}
	tell(100*time.Millisecond, slog.LevelWarn, "request turned away", errors.New("the database is behind"))
	tell(1100*time.Millisecond, slog.LevelWarn, "request turned away", errors.New("dial 127.0.0.1:1: refused"))
	tell(1200*time.Millisecond, slog.LevelInfo, "started", nil)
	tell(1200*time.Millisecond, slog.LevelInfo, "started", nil)

	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines, want one of the first cause, one of the second, one a second later, two of no warning:\n%s", len(lines), text.String())
	}
	for i, want := range []string{"40000: refused", "the database is behind", "left_out=999", "started", "started"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q in it", i, lines[i], want)
		}
	}
}
