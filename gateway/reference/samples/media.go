package main

import (
	"context"
	"fmt"
	"log"

	"crier/client"
)

func media(ctx context.Context, c *client.Client) {
	// sample: uploadMedia createMediaUploadUrl completeUpload
	media, err := c.Media.UploadFile(ctx, "harbour.png", func(sent, total int64) { fmt.Println(sent, "of", total) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(media.ID, media.Type, media.Size)
	// sample: uploadMediaFromUrl
	_, err = c.Media.FromURL(ctx, client.MediaFromURL{URL: "https://media.example/harbour.png", AltText: "The harbour"})
	// end
	refused(err)
	// sample: listMedia
	for media, err := range c.Media.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(media.ID, media.FileName)
	}
	// sample: getMedia
	media, err = c.Media.Get(ctx, media.ID)
	// end
	check(err)
	// sample: describeMedia
	media, err = c.Media.Describe(ctx, media.ID, "The harbour at sunrise")
	// end
	check(err)
	// sample: deleteMedia
	err = c.Media.Delete(ctx, media.ID)
	// end
	check(err)
}
