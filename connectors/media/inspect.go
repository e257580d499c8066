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
	if item.Facts != nil {
		facts := item.Sent()
		if _, needed, details := validation.Fit(c, facts, item.Fit); len(details) == 0 || !needed && item.Fit == schema.FitNone {
			file := File{MediaFacts: facts}
			return pulled(item, c.Platform, false), file.Check(c)
		}
	}
	file, err := source.Open(ctx, item)
	if err != nil {
		return item, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	item.Facts = &file.MediaFacts
	if err := file.Check(c); err != nil {
		return item, err
	}
	if !item.MediaID.IsZero() {
		return pulled(item, c.Platform, file.refitted), nil
	}
	return item, publish(ctx, source, &item, file)
}

// pulled is an upload at the address at which its platform fetches it: made to fit where it has to be,
// and without metadata.
func pulled(item schema.Media, platform schema.Platform, refitted bool) schema.Media {
	if !item.MediaID.IsZero() && (refitted || !item.KeepMetadata) {
		item.URL = item.Fitted(platform).In(item.URL)
	}
	return item
}

// publisher is a source that can serve what it has fetched.
type publisher interface {
	// Publish returns where a file is served that was fetched for an item; empty: platforms do not
	// reach this server.
	Publish(ctx context.Context, item schema.Media, file *File) (address string, err error)
}

// publish makes the address of an item that of a copy, where the file has metadata or was made to fit.
// A platform that reaches the url alone fetches the file as it is there.
func publish(ctx context.Context, source Source, item *schema.Media, file *File) error {
	if !file.refitted && (file.plan == nil || len(file.plan.Edits) == 0) {
		return nil
	}
	address := ""
	if p, ok := source.(publisher); ok {
		var err error
		if address, err = p.Publish(ctx, *item, file); err != nil {
			return err
		}
	}
	switch {
	case address != "":
		item.URL = address
	case file.refitted:
		return refused("the picture has to be made into another, for which it has to be an upload: POST /media/from-url makes one of a url", nil)
	}
	return nil
}
