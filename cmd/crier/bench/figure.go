package bench

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"crier/cmd/crier/bench/facts"
)

// Figure is one thing measured. As JSON it always has the fields
//
//	name, value, unit             what was measured
//	control, control_name, ratio  what the control of the run came to; null without one
//	spread                        least and largest ratio of several pairs of runs; null for one run
//	goal, goal_of, met            what is to be reached, by the value or the ratio; null without a goal
//	errors                        requests that failed; with any, no goal is met
type Figure struct {
	Name    string
	Value   float64
	Unit    string
	Control *Control
	Spread  *Spread
	Goal    *Goal
	Errors  int
}

// Control is what a figure is compared with.
type Control struct {
	Name  string
	Value float64 // in the figure's unit
}

// Spread is the least and the largest ratio of pairs of runs.
type Spread [2]float64

// Goal is a bound of a figure.
type Goal struct {
	Bound   float64
	OfRatio bool // the bound is of value/control, not of the value
	AtLeast bool // more is better
}

// ratio is value/control, and whether there is one.
func (f Figure) ratio() (float64, bool) {
	if f.Control == nil || f.Control.Value == 0 {
		return 0, false
	}
	return f.Value / f.Control.Value, true
}

// met reports whether the goal is reached.
func (f Figure) met() bool {
	if f.Errors > 0 || f.Goal == nil {
		return false
	}
	reached := f.Value
	if f.Goal.OfRatio {
		ratio, ok := f.ratio()
		if !ok {
			return false
		}
		reached = ratio
	}
	if f.Goal.AtLeast {
		return reached >= f.Goal.Bound
	}
	return reached <= f.Goal.Bound
}

// MarshalJSON writes the figure in one shape, whatever it has.
func (f Figure) MarshalJSON() ([]byte, error) {
	line := struct {
		Name        string   `json:"name"`
		Value       float64  `json:"value"`
		Unit        string   `json:"unit"`
		Control     *float64 `json:"control"`
		ControlName *string  `json:"control_name"`
		Ratio       *float64 `json:"ratio"`
		Spread      *Spread  `json:"spread"`
		Goal        *float64 `json:"goal"`
		GoalOf      *string  `json:"goal_of"`
		Met         *bool    `json:"met"`
		Errors      int      `json:"errors"`
	}{Name: f.Name, Value: rounded(f.Value), Unit: f.Unit, Errors: f.Errors}
	if f.Control != nil {
		line.Control, line.ControlName = new(rounded(f.Control.Value)), &f.Control.Name
	}
	if ratio, ok := f.ratio(); ok {
		line.Ratio = new(rounded(ratio))
	}
	if f.Spread != nil {
		line.Spread = &Spread{rounded(f.Spread[0]), rounded(f.Spread[1])}
	}
	if f.Goal != nil {
		line.Goal, line.GoalOf, line.Met = &f.Goal.Bound, new("value"), new(f.met())
		if f.Goal.OfRatio {
			line.GoalOf = new("ratio")
		}
	}
	return json.Marshal(line)
}

// rounded keeps four digits of a small value: more would suggest a precision there is not.
func rounded(v float64) float64 {
	if math.Abs(v) >= 1000 {
		return math.Round(v)
	}
	return math.Round(v*1000) / 1000
}

// answersWithin is what a dashboard's query may take, in milliseconds.
const answersWithin = 100

// analyticsFigures are those of a result.
func analyticsFigures(r facts.Result) []Figure {
	if len(r.Took) == 0 {
		figure := Figure{Name: "analytics_" + r.Name, Value: r.Value, Unit: r.Unit}
		if r.Control > 0 {
			figure.Control = &Control{"a plain insertion of the same rows, in turn", r.Control}
		}
		return []Figure{figure}
	}
	at := func(name string, rank float64, goal *Goal) Figure {
		f := Figure{Name: name + r.Name, Value: milliseconds(samples(r.Took).rank(rank)), Unit: "ms", Goal: goal}
		if r.Raw != nil {
			f.Control = &Control{"the same from the facts", milliseconds(samples(r.Raw).rank(rank))}
		}
		return f
	}
	return []Figure{at("analytics_p50 ", 0.5, nil), at("analytics_p99 ", 0.99, &Goal{Bound: answersWithin})}
}

// samples are durations, one for each thing measured.
type samples []time.Duration

// rank returns the duration that a share q (over 0, at most 1) of the samples does not
// exceed, by nearest rank: always one that was measured. It is zero without samples.
func (s samples) rank(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[nearestRank(len(sorted), q)]
}

// median returns the middle one of values, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// tempo is how fast a server takes and publishes posts: of each turn one value.
type tempo struct {
	rates      []float64 // created a second by many
	ones       []float64 // median of one caller, in milliseconds
	p50s, p99s []float64 // lateness in milliseconds
	all        samples   // lateness in all turns
	errors     int
	work       work
	posts      int // of the work
}

func (t *tempo) addLateness(turn arrivals) {
	t.p50s, t.p99s = append(t.p50s, milliseconds(turn.late.rank(0.5))), append(t.p99s, milliseconds(turn.late.rank(0.99)))
	t.all, t.errors = append(t.all, turn.late...), t.errors+turn.errors
}

func nearestRank(n int, q float64) int {
	// The small shift undoes the error of q*n, whose exact product may be whole.
	at := int(math.Ceil(q*float64(n)-1e-9)) - 1
	return min(max(at, 0), n-1)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
