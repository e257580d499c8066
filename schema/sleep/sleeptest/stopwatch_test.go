package sleeptest

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAStopwatchRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := Stopwatch(t)
		time.Sleep(3 * time.Second)
		if took := ran(); took != 3*time.Second {
			t.Errorf("it shows %v after 3 s", took)
		}
	})
}

func TestAMachineThatStandsStillTakesNoTime(t *testing.T) {
	began := time.Now()
	w := &watch{last: began}
	for _, at := range []time.Duration{tick, 80 * time.Second, 80*time.Second - tick, 80*time.Second + tick} {
		w.at(began.Add(at))
	}
	if ran := w.ran; ran != 2*tick {
		t.Errorf("it shows %v after two ticks and 80 s between them", ran)
	}
}
