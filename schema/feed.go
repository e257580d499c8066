package schema

import "time"

// Monitor is what a workspace listens for: public posts that have one of the included keywords
// and none of the excluded ones.
type Monitor struct {
	ID        MonitorID
	Workspace WorkspaceID
	Name      string
	Include   []string
	Exclude   []string
	Language  string // ISO 639-1; empty: any
	Platforms []Platform
	Paused    bool // finds nothing, and keeps what it has found
	CreatedAt time.Time
	UpdatedAt time.Time
}

// What a monitor may be, and how many of them.
const (
	MostMonitors       = 10_000    // of a workspace
	MostKeywords       = 20        // of a monitor: included, and excluded as many
	ShortestKeyword    = 2         // characters
	LongestKeyword     = 100       // characters
	LongestMonitorName = 100       // characters
	MostKeywordBytes   = 256 << 10 // of a workspace's monitors together
)

// MonitorPlatforms are where monitors can look, and where feeds can be searched.
func MonitorPlatforms() []Platform { return []Platform{Bluesky, Threads} }
