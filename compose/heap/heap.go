// Package heap has garbage collected by how much a process does.
package heap

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// heapRoom is how much is allocated between two collections at least, under load. The runtime by
	// itself collects once the heap has doubled, which is some ten times a second with as little as crier
	// holds.
	heapRoom = 96 << 20
	// usualHeapPercent is Go's own GOGC; maxHeapPercent bounds what a heap that is nearly empty is given.
	usualHeapPercent, maxHeapPercent = 100, 800
	// A process that allocates little between two looks, idleLooks times, is at rest.
	heapLook  = time.Second
	idleLooks = 2
)

// Keep has garbage collected rarely under load, by how much the heap holds, and gives back what a
// load has taken, until ctx ends. A process is at rest that allocates less than idle bytes a second.
// The variable GOGC counts for more.
func Keep(ctx context.Context, idle uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	h := heap{percent: usualHeapPercent, idle: idle}
	defer debug.SetGCPercent(debug.SetGCPercent(h.percent))
	tick := time.NewTicker(heapLook)
	defer tick.Stop()
	for {
		h.look()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// heap is what is known of the heap since the last look.
type heap struct {
	percent   int    // as it is set
	idle      uint64 // what is less between two looks is no load
	allocated uint64 // in all of the process's life
	quiet     int    // looks since the last load, at most idleLooks
}

// look sets how far the heap may grow, and reports whether it has given memory back.
func (h *heap) look() (gaveBack bool) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	live, allocated := samples[0].Value.Uint64(), samples[1].Value.Uint64()
	isBusy := allocated-h.allocated > h.idle
	h.allocated = allocated
	if isBusy {
		h.quiet = 0
		h.set(heapPercent(live))
		return false
	}
	if h.quiet == idleLooks {
		return false // that was done when it came to rest
	}
	if h.quiet++; h.quiet < idleLooks {
		return false
	}
	h.set(usualHeapPercent)
	Release()
	return true
}

// Release gives back what the process has taken and does not need.
func Release() {
	debug.FreeOSMemory()
	releaseFiles()
}

// set changes the percentage where it differs: that stops the process for a moment.
func (h *heap) set(percent int) {
	if percent < h.percent*9/10 || percent > h.percent*11/10 {
		debug.SetGCPercent(percent)
		h.percent = percent
	}
}

// heapPercent is by how much a heap with so many bytes in use may grow until it is collected.
func heapPercent(live uint64) int {
	return int(max(usualHeapPercent, min(maxHeapPercent, heapRoom*100/max(live, 1))))
}
