package media

import (
	"context"
	"errors"

	"crier/schema"
	"crier/schema/validation"
)

// Inspect returns an item as its platform is to fetch it, with what it holds, and refuses what the
// platform does not take. An item of which nothing is known is fetched for that; of one that is
// made to fit the url becomes that of what was made.
func Inspect(ctx context.Context, source Source, item schema.Media, c schema.Constraints) (_ schema.Media, err error) {
	if item.Facts != nil && (fitOf(item, c) == schema.FitNone || len(validation.CheckMedia(c.Media, c.Platform, *item.Facts)) == 0) {
		file := File{MediaFacts: *item.Facts}
		return item, file.Check(c)
	}
	file, err := source.Open(ctx, item)
	if err != nil {
		return item, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	item.Facts = &file.MediaFacts
	if file.refitted {
		item.URL = schema.Variant{Platform: c.Platform, Fit: fitOf(item, c)}.In(item.URL)
	}
	return item, file.Check(c)
}

// fitOf returns what is done with an item that its platform does not take as it is: of what crier does not
// serve itself no copy can be fetched.
func fitOf(item schema.Media, c schema.Constraints) schema.Fit {
	if item.MediaID.IsZero() {
		return item.Fit
	}
	return c.Media.Fit(item.Fit)
}
