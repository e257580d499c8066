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
