package gatewaytest

import (
	"fmt"
	"net/http"
	"strings"
)

// EveryHour is a queue's slots: each hour of every day.
func EveryHour() string {
	var slots []string
	for _, day := range strings.Fields("monday tuesday wednesday thursday friday saturday sunday") {
		for hour := range 24 {
			slots = append(slots, fmt.Sprintf(`{"day": %q, "time": "%02d:00"}`, day, hour))
		}
	}
	return strings.Join(slots, ",")
}

// CreateQueue makes a queue and returns its id. More are further members of the body, after a comma.
func (a *API) CreateQueue(name, slots, more string) string {
	a.Helper()
	return a.Request(http.MethodPost, "/queues", fmt.Sprintf(`{"name": %q, "slots": [%s]%s}`, name, slots, more)).
		Want(http.StatusCreated).At("queue", "id").Text()
}

// QueueSlots returns the next slots of a queue.
func (a *API) QueueSlots(queue string) []any {
	a.Helper()
	slots, _ := a.Request(http.MethodGet, "/queues/"+queue+"/slots", nil).Want(http.StatusOK).At("slots").Value.([]any)
	return slots
}
