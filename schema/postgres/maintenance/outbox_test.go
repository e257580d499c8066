package maintenance_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

func TestEventsThatAreStuckAreSentAgain(t *testing.T) {
	const age = 10 * time.Second
	f := newFixture(t)
	var all []schema.BatchID
	for range 5 {
		f.Create(f.Post(1, 0))
	}
	for _, b := range f.Events() {
		older := b.ID
		binary.BigEndian.PutUint64(older[:], binary.BigEndian.Uint64(older[:])-11_000<<16) // 11 s ago
		f.Exec(fmt.Sprintf(`update outbox set id = '%x' where id = '%x'`, older[:], b.ID[:]))
		all = append(all, older)
	}
	slices.SortFunc(all, func(a, b schema.BatchID) int { return bytes.Compare(a[:], b[:]) })
	f.Must(f.Analytics.Stored(t.Context(), []schema.EventBatch{{ID: all[0]}}))
	f.Exec(`update outbox set sent_at = now() - interval '11 seconds'`)
	var sent []schema.BatchID
	var after schema.BatchID
	for range 4 {
		batches, next, err := f.Delay.Unsent(t.Context(), schema.OwedAnalytics, after, age, 2)
		f.Must(err)
		for _, b := range batches {
			sent = append(sent, b.ID)
		}
		after = next
	}
	if !slices.Equal(sent, all[1:]) || after != (schema.BatchID{}) {
		t.Errorf("sent again: %v, then to go on at %v; want once what is owed, %v, then the beginning", sent, after, all[1:])
	}
	if n, err := f.Delay.Owed(t.Context(), schema.OwedAnalytics, all); err != nil || n != 4 {
		t.Errorf("%d are owed, %v; want 4", n, err)
	}
	if n, err := f.Delay.Owed(t.Context(), schema.OwedNotify, all); err != nil || n != 5 {
		t.Errorf("the other is owed %d, %v; want 5", n, err)
	}
	f.Exec(`update outbox set sent_at = now() - interval '11 seconds'`)
	if batches, _, err := f.Delay.Unsent(t.Context(), schema.OwedNotify, after, age, 10); err != nil || len(batches) != 5 {
		t.Errorf("the other is sent %d, %v; want 5", len(batches), err)
	}
}

func TestEventsOfOneCommitAreSeveralMessagesWhereTheyAreLarge(t *testing.T) {
	f := newFixture(t)
	text := strings.Repeat("<", schema.MaxTexts) // six bytes each in JSON
	var posts []schema.Post
	for range 4 {
		p := f.UncappedPost(time.Hour)
		p.Content.Entries[0].Text = text
		posts = append(posts, p, f.UncappedPost(time.Hour))
	}
	_, err := f.Gateway.Create(t.Context(), schema.Creation{Posts: posts})
	f.Must(err)
	events := 0
	for _, b := range f.Events() {
		events += len(b.Events)
	}
	largest := f.Count(`select max(octet_length(payload)) from outbox`)
	if largest > 600_000 || events != len(posts) {
		t.Errorf("%d events of %d posts, the largest message has %d bytes", events, len(posts), largest)
	}
	if n := len(f.LastAnnouncement().Events); n != f.Count(`select count(*) from outbox`) || n < 4 {
		t.Errorf("%d messages are announced", n)
	}
}
