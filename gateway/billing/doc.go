// Package billing is the resource of what a workspace uses of its plan and of how plans are
// bought, from a seller that the root is given.
package billing
