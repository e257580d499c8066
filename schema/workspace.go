package schema

// Workspace is the tenant: everything belongs to one, and every query names it. A
// live workspace has a sandbox twin, a workspace of its own whose accounts resolve
// to simulators only and to which its test keys belong.
type Workspace struct {
	ID      WorkspaceID
	Name    string
	Plan    string
	Sandbox bool
}

// Plan is what a workspace may do; the operator can change the table.
type Plan struct {
	Name              string
	RequestsPerMinute int // per key
	PostsPerMonth     int // 0: no limit
	Accounts          int // 0: no limit
}

// Permission is what a key may do; each includes those before it.
type Permission int16

// The permissions of a key.
const (
	Read Permission = iota + 1
	Write
	Admin
)

// Key is an API key as the gateway knows it once it is authenticated.
type Key struct {
	ID                KeyID
	Lineage           KeyID // the first key of a chain of rotations; idempotency is scoped to it
	Workspace         WorkspaceID
	Sandbox           bool
	Permission        Permission
	RequestsPerMinute int
	PostsPerMonth     int // of its workspace's plan, in entries; 0: no limit
}
