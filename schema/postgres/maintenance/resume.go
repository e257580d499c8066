package maintenance

import (
	"context"
	"fmt"

	"crier/schema/postgres/internal/tables"
)

// Resume makes the next parked jobs due of a pause that was lifted, by a process that may be
// gone.
func (s *Store) Resume(ctx context.Context) (rows int, more bool, err error) {
	rows, more, err = tables.ResumeChunk(ctx, s.DB, nil)
	if err != nil {
		return 0, false, fmt.Errorf("resuming what was paused: %w", err)
	}
	return rows, more, nil
}
