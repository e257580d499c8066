package schema

import "time"

// Queue is a weekly schedule of slots, which posts take one after another.
type Queue struct {
	ID        QueueID
	Workspace WorkspaceID
	Brand     BrandID // zero: of the whole workspace
	Name      string
	Timezone  string // IANA name of the slots' zone
	Slots     []WeekSlot
	Default   bool // of its brand, or of the workspace: at most one each
	CreatedAt time.Time
	UpdatedAt time.Time
}

// WeekSlot is a time of the week at which one post may go out.
type WeekSlot struct {
	Day  string `json:"day"`  // monday to sunday
	Time string `json:"time"` // 00:00 to 23:59
}

// QueueChoice names the queue that a post is to be placed in.
type QueueChoice struct {
	ID    QueueID // zero: the default of the brand, or else of the workspace
	Brand BrandID
}
