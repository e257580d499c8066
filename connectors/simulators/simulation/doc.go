// Package simulation is what the simulators of the platforms share: a World of
// accounts, posts and uploads, the faults forced on its calls, and the journal that
// keeps it over a restart.
//
//	request ──▶ World.Handler ──▶ the platform's mux ──▶ World.Publish ──▶ World.Add
//	             faults, by         speaks the            markers in         journal,
//	             operation          platform's API        the text           then memory
//
// A simulator is written in its platform's package on top of a World and speaks the
// platform's API; the World knows nothing of any API. How a platform words a failure
// is its Dialect.
package simulation
