package console

import (
	"context"
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

// Run uploads one file after the other.
func (m *MediaUpload) Run(ctx context.Context, t *Terminal) error {
	c, err := m.connect(t)
	if err != nil {
		return err
	}
	var all []*client.Media
	for _, name := range m.Files {
		media, err := t.upload(ctx, c, name, m.AltText)
		if err != nil {
			return err
		}
		all = append(all, media)
	}
	return lines(t, m.Shape, all, row("UPLOAD", "TYPE", "BYTES", "FILE"), func(m *client.Media) string {
		return row(m.ID, m.MimeType, strconv.Itoa(m.Size), m.FileName)
	})
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
