package queues

import (
	"fmt"
	"slices"
	"time"

	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/schema"
)

const (
	maxSlots     = 500 // of a week
	maxQueueName = 255 // bytes
)

// queueFields is what a request says about a queue. Nil is an absent field.
type queueFields struct {
	name     *string
	timezone *string
	slots    []schema.WeekSlot
	isMain   *bool
}

func (q *queues) readFields(f *body.Form) queueFields {
	fields := queueFields{
		name:     body.Optional(f.Text("name", maxQueueName)),
		timezone: body.Optional(f.Text("timezone", body.MaxShort)),
		slots:    readSlots(f),
	}
	if isDefault, ok := f.Boolean("isDefault"); ok {
		fields.isMain = &isDefault
	}
	if fields.name != nil && *fields.name == "" {
		f.Fail("name", body.CodeRequired, "a queue needs a name")
	}
	if fields.timezone != nil {
		if _, err := q.Zones.Load(*fields.timezone); err != nil {
			f.Fail("timezone", body.CodeInvalidValue, err.Error())
		}
	}
	return fields
}

func readSlots(f *body.Form) []schema.WeekSlot {
	items, ok := f.List("slots", maxSlots)
	if !ok {
		return nil
	}
	if len(items) == 0 {
		f.Fail("slots", body.CodeRequired, "at least one slot is required")
	}
	slots := make([]schema.WeekSlot, 0, len(items))
	for i, item := range items {
		inner, ok := f.Child(item, "slots", i)
		if !ok {
			continue
		}
		slot := readSlot(&inner)
		if slices.Contains(slots, slot) {
			f.Fail(body.Indexed("slots", i), "duplicate_slot", fmt.Sprintf("%s at %s is there already", slot.Day, slot.Time))
		}
		slots = append(slots, slot)
	}
	return slots
}

func readSlot(f *body.Form) schema.WeekSlot {
	var slot schema.WeekSlot
	var ok bool
	if slot.Day, ok = f.Text("day", body.MaxShort); !ok {
		f.Require("day")
	} else if _, known := calendar.Weekday(slot.Day); !known {
		f.Fail("day", body.CodeInvalidValue, "must be a day of the week, monday to sunday")
	}
	if slot.Time, ok = f.Text("time", body.MaxShort); !ok {
		f.Require("time")
	} else if at, err := time.Parse(calendar.SlotLayout, slot.Time); err != nil || at.Format(calendar.SlotLayout) != slot.Time {
		f.Fail("time", body.CodeInvalidValue, "must be a time of day, 00:00 to 23:59")
	}
	f.NoteUnread()
	return slot
}

func (f queueFields) apply(queue *schema.Queue) {
	if f.name != nil {
		queue.Name = *f.name
	}
	if f.timezone != nil {
		queue.Timezone = *f.timezone
	}
	if f.slots != nil {
		queue.Slots = f.slots
	}
	if f.isMain != nil {
		queue.Default = *f.isMain
	}
}
