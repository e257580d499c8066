package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestASmallHeapIsCollectedAsRarelyAsItsRoomAllows(t *testing.T) {
	for name, tt := range map[string]struct {
		live uint64
		want int
	}{
		"nothing yet":           {0, maxHeapPercent},
		"little":                {24 << 20, 400},
		"as much as the room":   {heapRoom, 100},
		"more: as Go by itself": {10 * heapRoom, 100},
	} {
		t.Run(name, func(t *testing.T) {
			if got := heapPercent(tt.live); got != tt.want {
				t.Errorf("heapPercent(%d) = %d, want %d", tt.live, got, tt.want)
			}
		})
	}
}

func TestWhatALoadHasTakenIsGivenBack(t *testing.T) {
	before := debug.SetGCPercent(usualHeapPercent)
	defer debug.SetGCPercent(before)
	h := heap{percent: usualHeapPercent, idle: 16 << 20}
	h.look()
	load := make([][]byte, 64)
	for i := range load {
		load[i] = make([]byte, 1<<20)
	}
	if h.look() {
		t.Error("memory was given back under load")
	}
	runtime.KeepAlive(load)
	for range idleLooks {
		if h.look() {
			return
		}
	}
	t.Error("64 MiB that nothing uses any more were kept")
}
