package bluesky

import (
	"testing"
	"time"

	"crier/schema"
)

// After a restore the time of the claim is lost, of which the record's key is made.
func TestARecordWhoseKeyIsLostIsFoundByWhatItSays(t *testing.T) {
	s := newStage(t)
	root := s.publish(t, s.delivery("the first of a thread"))
	reply := s.delivery("and on")
	reply.Entry, reply.Entries, reply.Receipts = 1, 2, []schema.Receipt{root}
	first, two := s.delivery("the same"), s.delivery("the same")
	pictured := s.delivery("a picture", picked("one.png")...)
	progress, err := s.connector.Prepare(t.Context(), pictured)
	if err != nil {
		t.Fatal(err)
	}
	pictured.Progress = progress.State
	s.advance(2 * time.Minute)
	created := map[string]bool{}
	restored := s.now()
	s.advance(time.Minute)
	for _, d := range []*schema.Delivery{&reply, &first, &two, &pictured} {
		d.Since = s.now()
		created[s.publish(t, *d).NativeID] = true
	}

	find := func(d schema.Delivery) (schema.Receipt, schema.Verdict) {
		t.Helper()
		d.Since, d.Restored, d.Progress = restored, true, nil
		receipt, verdict, err := s.connector.Find(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return receipt, verdict
	}
	var known []string
	for _, d := range []schema.Delivery{reply, first, two, pictured} {
		d.Known = known
		receipt, verdict := find(d)
		if verdict != schema.Found || !created[receipt.NativeID] || receipt.State == "" || receipt.Entry != d.Entry {
			t.Errorf("Find of %q = %+v, %v", d.Text, receipt, verdict)
		}
		delete(created, receipt.NativeID) // each is found once
		known = append(known, receipt.NativeID)
	}
	unanswering, plain, third := reply, pictured, first
	unanswering.Receipts, plain.Media, third.Known = nil, nil, known
	for name, d := range map[string]schema.Delivery{
		"another text": s.delivery("another"), "no answer to anything": unanswering, "no picture": plain, "a third of one text": third,
		"one from long before": s.delivery("the first of a thread"),
	} {
		if receipt, verdict := find(d); verdict != schema.NotThere {
			t.Errorf("%s: Find = %+v, %v", name, receipt, verdict)
		}
	}
}

func TestTheTimeOfATID(t *testing.T) {
	if at, ok := timeOf(tidOf(since, "key")); !ok || !at.Truncate(time.Millisecond).Equal(since.Truncate(time.Millisecond)) {
		t.Errorf("timeOf = %v, %t; want %v", at, ok, since)
	}
	for _, text := range []string{"", "3n2svgepjdo4", "3n2svgepjdo41"} {
		if at, ok := timeOf(text); ok {
			t.Errorf("%q is of %v", text, at)
		}
	}
}
