package media

import (
	"context"
	"errors"

	"crier/schema"
)

// Inspect says what an item holds that its platform fetches by itself, and refuses what the
// platform does not take. An item of which nothing is known is fetched for that.
func Inspect(ctx context.Context, source Source, item schema.Media, c schema.Constraints) (facts schema.MediaFacts, err error) {
	if item.Facts != nil {
		file := File{MediaFacts: *item.Facts}
		return *item.Facts, file.Check(c)
	}
	file, err := source.Open(ctx, item)
	if err != nil {
		return facts, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return file.MediaFacts, file.Check(c)
}
