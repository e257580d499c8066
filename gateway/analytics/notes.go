package analytics

import (
	"fmt"
	"strings"

	"crier/schema"
)

// noteOf says what the confidence rests on, where it is not high.
func noteOf(best schema.BestTimes) string {
	switch {
	case best.Confidence == schema.NoConfidence:
		return "there are no posts yet of which metrics are known a day after they were published"
	case best.Confidence == schema.LowConfidence && best.Posts < schema.EnoughPosts:
		return fmt.Sprintf("%d posts are too few to tell: at least %d are wanted; the times follow from what is known over the workspace, if anything is", best.Posts, schema.EnoughPosts)
	case best.Confidence == schema.LowConfidence:
		return "no hour does better than the others by more than chance would have it"
	default:
		return ""
	}
}

func weekdayOf(b schema.BestTime) string { return strings.ToLower(b.Weekday.String()) }
