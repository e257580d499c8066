// Package connectortest is the contract of a connector, run unchanged against every
// platform. A platform gives a Fixture: what differs.
//
//	Run ─▶ each case has a stage of its own:
//
//	       connector ──HTTP over loopback──▶ simulator ──▶ World
//	           │                               ▲             │
//	           └──▶ media server               └── faults ◀──┴── what the case checks
//
// The clock of a stage runs with the system's and can be moved on, so that no case
// waits for a platform's pause.
package connectortest
