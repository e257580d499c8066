package decoder

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"crier/schema"
)

// timeout bounds decoding, beside its time on the processor: the machine may be busy.
const timeout = time.Minute

// Decoder starts processes that decode. The zero value starts this program without arguments.
type Decoder struct {
	Program string   // that calls Main; empty: this one
	Args    []string // of the program; those of tests lead to a Main
}

// Decode decodes a picture of so many bytes and at most so many pixels. The error is Refused for one
// that cannot be decoded within the bounds; any other is our fault, or the context's.
func (d Decoder) Decode(ctx context.Context, content io.Reader, size int64, mediaType string, maximum int64) (image.Image, error) {
	if size > maxFile {
		return nil, refused(fmt.Sprintf("the picture has more than %d MB", maxFile>>20), nil)
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	program, err := d.program()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	command := exec.CommandContext(bounded, program, d.Args...)
	command.Env = []string{variable + "=" + mediaType}
	command.Dir = "/"
	command.Stdin = content
	command.WaitDelay = time.Second
	complaint := &tail{}
	command.Stderr = complaint
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the decoder: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting the decoder: %w", err)
	}
	picture, err := read(out, maximum)
	if err != nil {
		cancel() // it may still write
	}
	ended := command.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && ended == nil:
		return picture, nil
	default:
		return nil, refused("the picture is damaged, or takes more memory or time to decode than there is for one",
			errors.Join(err, ended, errors.New(complaint.String())))
	}
}

// program is this one, as it was started, unless it is to be another: its file may not be the same by now.
func (d Decoder) program() (string, error) {
	if d.Program != "" {
		return d.Program, nil
	}
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

func refused(message string, cause error) error {
	return &schema.Error{Kind: schema.Refused, Message: message, Err: cause}
}

// read reads what a child has written.
func read(r io.Reader, maximum int64) (image.Image, error) {
	var h header
	if err := binary.Read(r, binary.BigEndian, &h); err != nil {
		return nil, err
	}
	if h.Width == 0 || h.Height == 0 || int64(h.Width)*int64(h.Height) > maximum {
		return nil, fmt.Errorf("it has %d × %d pixels", h.Width, h.Height)
	}
	bounds := image.Rect(0, 0, int(h.Width), int(h.Height))
	fill := func(planes ...[]byte) error {
		for _, plane := range planes {
			if _, err := io.ReadFull(r, plane); err != nil {
				return err
			}
		}
		return nil
	}
	switch h.Kind {
	case kindGray:
		m := image.NewGray(bounds)
		return m, fill(m.Pix)
	case kindRGBA:
		m := image.NewRGBA(bounds)
		return m, fill(m.Pix)
	case kindNRGBA:
		m := image.NewNRGBA(bounds)
		return m, fill(m.Pix)
	}
	for ratio, kind := range ratios {
		if kind == h.Kind {
			m := image.NewYCbCr(bounds, ratio)
			return m, fill(m.Y, m.Cb, m.Cr)
		}
	}
	return nil, fmt.Errorf("it is of kind %d", h.Kind)
}

// tail keeps the beginning of what a child complains of.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const maximum = 1 << 10
	if room := maximum - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
