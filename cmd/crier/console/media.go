package console

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/schollz/progressbar/v3"

	"crier/client"
)

// Media are the commands about uploads.
type Media struct {
	Upload MediaUpload `cmd:"" help:"Upload files, and show their ids."`
}

// MediaUpload uploads files.
type MediaUpload struct {
	Access
	Shape
	Files   []string `arg:"" type:"existingfile" env:"-" name:"file" help:"Files of this machine."`
	AltText string   `env:"-" help:"What they show, for those who do not see them."`
}

// Run uploads one file after the other. One that fails stops no other: what failed is said at the end.
func (m *MediaUpload) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	var all []*client.Media
	var failed []error
	for _, name := range m.Files {
		media, err := t.upload(ctx, c, name, m.AltText)
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		default:
			all = append(all, media)
		}
	}
	err := lines(t, m.Shape, all, row("UPLOAD", "TYPE", "BYTES", "FILE"), func(m *client.Media) string {
		return row(m.ID, m.MimeType, strconv.Itoa(m.Size), m.FileName)
	})
	switch {
	case err != nil:
		return err
	case len(m.Files) == 1:
		return errors.Join(failed...)
	case len(failed) > 0:
		return fmt.Errorf("%d of %d files were not uploaded:\n%w", len(failed), len(m.Files), errors.Join(failed...))
	}
	return nil
}

// upload sends a file and draws how far it is.
func (t *Terminal) upload(ctx context.Context, c *client.Client, name, altText string) (*client.Media, error) {
	file, end, err := client.OpenUpload(name)
	if err != nil {
		return nil, err
	}
	defer end()
	file.AltText = altText
	if t.Person {
		bar := progressbar.NewOptions64(file.Size, progressbar.OptionSetWriter(t.Err), progressbar.OptionSetDescription(file.Name),
			progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
		file.Progress = func(sent, _ int64) { _ = bar.Set64(sent) } // a bar that cannot be drawn stops nothing
		defer bar.Finish()                                          //nolint:errcheck // as above
	}
	return c.Media.Upload(ctx, file)
}
