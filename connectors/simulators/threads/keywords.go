package threads

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation/graph"
)

// Posts of other people are generated, one each twenty seconds, the same for whoever looks; the
// search knows those of the last hours.
const (
	keywordEvery = 20 * time.Second
	keywordKept  = 4 * time.Hour
	maxKeyword   = 100
)

var keywordWords = strings.Fields("coffee morning music weather lunch weekend football book film garden city train photo dinner history travel river recipe bread tea camera museum market harbour")

// keywords finds generated posts that have every word that is asked for, the newest first.
func (s *simulator) keywords(v visit) {
	limit, err := strconv.Atoi(v.Param("limit"))
	if err != nil || limit < 1 {
		limit = 25
	}
	words := strings.Fields(strings.ToLower(v.Param("q")))
	since, _ := strconv.ParseInt(v.Param("since"), 10, 64)
	now := s.world.Now()
	newest := now
	if until, err := strconv.ParseInt(v.Param("until"), 10, 64); err == nil {
		newest = time.Unix(until, 0)
	}
	data := []map[string]any{}
	for at := newest.Truncate(keywordEvery); at.After(now.Add(-keywordKept)) && len(data) < min(limit, maxKeyword); at = at.Add(-keywordEvery) {
		text, who := keywordPost(at)
		if at.Unix() < since || !at.Before(newest) || !hasAll(text, words) {
			continue
		}
		id := strconv.FormatInt(at.Unix(), 10)
		data = append(data, v.Pick(map[string]any{
			"id": id, "text": text, "username": who, "timestamp": at.UTC().Format(graph.TimeFormat), "media_type": "TEXT_POST",
			"permalink": s.world.BaseURL() + "/@" + who + "/post/" + id,
		}))
	}
	v.Answer(map[string]any{"data": data})
}

func keywordPost(at time.Time) (text, who string) {
	random := rand.New(rand.NewPCG(7, uint64(at.Unix())))
	var words []string
	for range 3 + random.IntN(6) {
		words = append(words, keywordWords[random.IntN(len(keywordWords))])
	}
	return strings.Join(words, " "), "person" + strconv.Itoa(random.IntN(1000))
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return len(words) > 0
}
