// Package sandbox serves the simulators of the platforms: as the role `sandbox`, whose
// accounts are those of test keys, and as `crier simulate`, which adds controls.
//
//	/{platform}/…            the platform's own API, spoken by its simulator
//	/wall/{address}/…        what was published, as the platforms would show it
//	GET  /_control/posts     everything that was published      ┐
//	POST /_control/faults    what the next calls shall suffer   ├ SimulateHandler only
//	POST /_control/reset     forget everything                  │
//	GET  /_control/wall      leads to the one wall              ┘
//
// Which simulators there are is the caller's to say: catalog knows the platforms.
package sandbox
