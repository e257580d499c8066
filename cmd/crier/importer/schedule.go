package importer

import (
	"strings"

	"crier/schema"
)

// addStatus reads the state, and the cells that are yes or no; a queue may be named instead.
func (p *post) addStatus(body map[string]any, r *row) *problem {
	switch status := statusOf(p.cells["status"]); status {
	case "":
	case published:
		r.ended = p.cells["status"]
	default:
		body["status"] = status
	}
	for _, field := range []string{"queue", "publishNow", "draft"} {
		switch on, err := yes(p.cells[field]); {
		case err != nil:
			return &problem{field: field, message: err.Error()}
		case on && field == "draft":
			body["status"] = schema.Draft.String()
		case on:
			body[field] = true
		}
	}
	return nil
}

// addTime reads when the post goes out. A draft gets its time once it is there.
func (p *post) addTime(body map[string]any, r *row) *problem {
	text, field, wrong := p.when()
	if wrong != nil {
		return wrong
	}
	draft := body["status"] == schema.Draft.String()
	switch plainName(text) {
	case "":
		if p.mapping.Queue != "" && !draft && body["publishNow"] == nil && body["queue"] == nil && body["queueId"] == nil && body["status"] != immediate {
			p.addQueue(body)
			r.isQueuedByDefault = true
		}
		return nil
	case "now":
		body["publishNow"] = true
		return nil
	case "queue", "queuenext", "nextslot":
		body["queue"] = true
		return nil
	}
	at, err := parseWhen(text, p.mapping.Days)
	if err != nil {
		return &problem{field: field, message: err.Error()}
	}
	if _, isWall, _ := instantOf(at, ""); isWall && p.cells["timezone"] == "" {
		if p.zone == "" {
			r.wall = at
		} else {
			body["timezone"] = p.zone
		}
	}
	if draft {
		r.draftFor = at
		return nil
	}
	body["scheduledFor"] = at
	return nil
}

func (p *post) addQueue(body map[string]any) {
	if p.mapping.Queue == DefaultQueue {
		body["queue"] = true
	} else {
		body["queueId"] = p.mapping.Queue
	}
}

// when is the text of the time, and the field that has it: of one column, or of a day and a time
// of their own.
func (p *post) when() (text, field string, _ *problem) {
	text, date, clock := p.cells["scheduledFor"], p.cells["date"], p.cells["time"]
	switch {
	case date == "" && clock == "":
		return text, "scheduledFor", nil
	case text == "":
		return strings.TrimSpace(date + " " + clock), "date", nil
	case clock == "" && clockAlone.MatchString(text): // a time of the day in a column that could have both
		return date + " " + text, "date", nil
	default:
		return "", "", &problem{field: "date", message: "must not stand beside scheduledFor"}
	}
}
