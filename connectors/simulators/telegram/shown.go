package telegram

import (
	"encoding/json"

	"crier/connectors/simulators/simulation"
)

// messageFields is what a message has beside what every post has.
type messageFields struct {
	ParseMode string `json:"parseMode,omitempty"`
	Silent    bool   `json:"silent,omitempty"`
}

// shownAs keeps how a message is to be shown; nil: as it is.
func (in input) shownAs() json.RawMessage {
	f := messageFields{ParseMode: in.field("parse_mode"), Silent: in.field("disable_notification") == "true"}
	var items []inputMedia
	if json.Unmarshal([]byte(in.field("media")), &items) == nil && len(items) > 0 {
		f.ParseMode = items[0].ParseMode
	}
	if f == (messageFields{}) {
		return nil
	}
	encoded, err := json.Marshal(f)
	if err != nil {
		return nil
	}
	return encoded
}

// show tells how Telegram shows a message.
func (s *simulator) show(p simulation.Post) simulation.View {
	view := simulation.View{By: p.Account, Text: p.Text}
	var f messageFields
	if json.Unmarshal(p.Fields, &f) != nil {
		return view
	}
	if text, problem := parsed(p.Text, f.ParseMode); problem == "" {
		view.Text = text
	}
	if f.Silent {
		view.Labels = append(view.Labels, "without a notification")
	}
	return view
}
