package gateway

import (
	"fmt"
	"slices"
	"time"

	"crier/schema"
)

const (
	maxSlots     = 500 // of a week
	maxQueueName = 255 // bytes
)

// queueFields is what a request says about a queue. Nil stands for a field it does not
// name.
type queueFields struct {
	name     *string
	timezone *string
	slots    []schema.WeekSlot
	isMain   *bool
}

func (q *queues) readFields(f *form) queueFields {
	fields := queueFields{
		name:     optional(f.text("name", maxQueueName)),
		timezone: optional(f.text("timezone", maxShort)),
		slots:    readSlots(f),
	}
	if isDefault, ok := f.boolean("isDefault"); ok {
		fields.isMain = &isDefault
	}
	if fields.name != nil && *fields.name == "" {
		f.fail("name", codeRequired, "a queue needs a name")
	}
	if fields.timezone != nil {
		if _, err := q.Zones.load(*fields.timezone); err != nil {
			f.fail("timezone", codeInvalidValue, err.Error())
		}
	}
	return fields
}

func readSlots(f *form) []schema.WeekSlot {
	items, ok := f.list("slots", maxSlots)
	if !ok {
		return nil
	}
	if len(items) == 0 {
		f.fail("slots", codeRequired, "at least one slot is required")
	}
	slots := make([]schema.WeekSlot, 0, len(items))
	for i, item := range items {
		inner, ok := f.child(item, "slots", i)
		if !ok {
			continue
		}
		slot := readSlot(&inner)
		if slices.Contains(slots, slot) {
			f.fail(indexed("slots", i), "duplicate_slot", fmt.Sprintf("%s at %s is there already", slot.Day, slot.Time))
		}
		slots = append(slots, slot)
	}
	return slots
}

func readSlot(f *form) schema.WeekSlot {
	var slot schema.WeekSlot
	var ok bool
	if slot.Day, ok = f.text("day", maxShort); !ok {
		f.require("day")
	} else if _, known := weekday(slot.Day); !known {
		f.fail("day", codeInvalidValue, "must be a day of the week, monday to sunday")
	}
	if slot.Time, ok = f.text("time", maxShort); !ok {
		f.require("time")
	} else if at, err := time.Parse(slotLayout, slot.Time); err != nil || at.Format(slotLayout) != slot.Time {
		f.fail("time", codeInvalidValue, "must be a time of day, 00:00 to 23:59")
	}
	f.finish()
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
