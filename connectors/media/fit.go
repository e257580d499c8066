package media

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
	"golang.org/x/image/webp"

	"crier/connectors/media/colors"
	"crier/connectors/media/exif"
	"crier/schema"
	"crier/schema/validation"
)

// qualities are those in which a JPEG is tried until it is small enough, of 100.
var qualities = []int{90, 80, 65}

// errTooManyBytes is that a picture is larger than its platform takes.
var errTooManyBytes = errors.New("the picture has too many bytes")

// make makes a picture into one that its platform takes, in a new file of folder dir. The same
// picture always becomes the same bytes. What decoding takes is bounded by who has planned it.
func (v *variants) make(ctx context.Context, dir string, file *File, plan validation.Refit) (*File, error) {
	picture, err := v.decode(ctx, file)
	if err != nil {
		return nil, err
	}
	keepsAlpha := plan.PNG && !isOpaque(picture.Image)
	for {
		canvas := compose(picture.Image, picture.turn, plan, keepsAlpha)
		if picture.colors != nil {
			picture.colors.Convert(canvas)
		}
		encoded, err := encode(dir, canvas, plan.MaxBytes, keepsAlpha)
		if !errors.Is(err, errTooManyBytes) {
			return encoded, err
		}
		if keepsAlpha { // PNG is for drawings; what is that large is a photo
			keepsAlpha = false
			continue
		}
		var ok bool
		if plan, ok = plan.Smaller(); !ok {
			return nil, refused("the picture cannot be made small enough", nil)
		}
	}
}

// decoded is a picture as it is stored.
type decoded struct {
	image.Image
	turn   exif.Orientation  // how it is turned to be shown
	colors *colors.Converter // to sRGB; nil: they are its own
}

// decode decodes a picture.
func (v *variants) decode(ctx context.Context, file *File) (d decoded, err error) {
	content, err := file.Open()
	if err != nil {
		return decoded{}, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	_, format, ok := formatOf(file.Type)
	if !ok || format.kind != schema.Image && format.kind != schema.GIF {
		return decoded{}, refused("a file of type "+file.Type+" is not made to fit", nil)
	}
	found, err := format.shape(content, file.Size)
	if err != nil {
		return decoded{}, refused("the file is damaged or incomplete: "+file.Type, err)
	}
	d.turn, d.colors = max(found.turn, exif.Upright), colors.Find(content, file.Size, file.Type)
	decoders := map[string]func(io.Reader) (image.Image, error){
		"image/jpeg": jpeg.Decode, "image/png": png.Decode, "image/webp": webp.Decode, "image/gif": gif.Decode,
	}
	if decoder := decoders[file.Type]; decoder != nil {
		d.Image, err = decoder(bufio.NewReaderSize(until{ctx, content}, 64<<10))
	} else {
		d.Image, err = v.decoder.Decode(ctx, content, file.Size, file.Type, maxDecoded(found))
		d.Image = middle(d.Image, d.turn.Of(image.Pt(found.width, found.height)))
	}
	if file.Type == "image/webp" { // the package webp leaves them as they are
		switch m := d.Image.(type) {
		case *image.YCbCr:
			colors.ToJFIF(m, colors.Video)
		case *image.NYCbCrA:
			colors.ToJFIF(&m.YCbCr, colors.Video)
		}
	}
	if err != nil && ctx.Err() == nil && schema.KindOf(err) != schema.Refused {
		err = refused(notDecoded(err), err)
	}
	return d, err
}

// notDecoded says why a picture is not decoded.
func notDecoded(err error) string {
	if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
		return "the picture is coded in a way that it cannot be made to fit"
	}
	return "the picture is damaged"
}

// maxDecoded is how many pixels a picture may have once it is decoded: somewhat more than it shows, where
// its edges are not shown.
func maxDecoded(found shape) int64 { return 2*int64(found.width)*int64(found.height) + 1<<20 }

// middle cuts a picture to a size, where it has more than its file says is to be shown.
func middle(m image.Image, size image.Point) image.Image {
	part, ok := m.(interface {
		SubImage(image.Rectangle) image.Image
	})
	if !ok || m.Bounds().Dx() <= size.X && m.Bounds().Dy() <= size.Y {
		return m
	}
	return part.SubImage(image.Rectangle{Max: size}.Add(m.Bounds().Size().Sub(size).Div(2)))
}

// until reads until its context ends.
type until struct {
	ctx     context.Context
	content io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.content.Read(p)
}

func isOpaque(picture image.Image) bool {
	o, ok := picture.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// compose draws a picture as planned: on white, or on nothing.
func compose(picture image.Image, turn exif.Orientation, plan validation.Refit, clear bool) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, plan.Width, plan.Height))
	if !clear {
		draw.Draw(canvas, canvas.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	}
	bounds := picture.Bounds()
	crop := turn.Stored(plan.Crop, bounds.Size()).Add(bounds.Min)
	inner := plan.Inner.Size()
	if turn.Swaps() {
		inner = image.Pt(inner.Y, inner.X)
	}
	picture, crop = shrunk(picture, crop, inner)
	if turn == exif.Upright {
		draw.ApproxBiLinear.Scale(canvas, plan.Inner, picture, crop, draw.Over, nil)
		return canvas
	}
	toOrigin := f64.Aff3{1, 0, -float64(crop.Min.X), 0, 1, -float64(crop.Min.Y)}
	scale := f64.Aff3{float64(inner.X) / float64(crop.Dx()), 0, 0, 0, float64(inner.Y) / float64(crop.Dy()), 0}
	place := f64.Aff3{1, 0, float64(plan.Inner.Min.X), 0, 1, float64(plan.Inner.Min.Y)}
	draw.ApproxBiLinear.Transform(canvas, after(place, turn.Transform(inner), scale, toOrigin), picture, crop, draw.Over, nil)
	return canvas
}

// shrunk halves a part of a picture for as long as it has more than twice the wanted size:
// drawing it takes four pixels into account, and would leave out others.
func shrunk(picture image.Image, part image.Rectangle, wanted image.Point) (image.Image, image.Rectangle) {
	for part.Dx() >= 2*wanted.X && part.Dy() >= 2*wanted.Y && (part.Dx() > 2*wanted.X || part.Dy() > 2*wanted.Y) {
		half := image.NewRGBA(image.Rect(0, 0, part.Dx()/2, part.Dy()/2))
		draw.ApproxBiLinear.Scale(half, half.Bounds(), picture, part, draw.Src, nil)
		picture, part = half, half.Bounds()
	}
	return picture, part
}

// after returns the transformation that does the last one first.
func after(all ...f64.Aff3) f64.Aff3 {
	a := all[0]
	for _, b := range all[1:] {
		a = f64.Aff3{
			a[0]*b[0] + a[1]*b[3], a[0]*b[1] + a[1]*b[4], a[0]*b[2] + a[1]*b[5] + a[2],
			a[3]*b[0] + a[4]*b[3], a[3]*b[1] + a[4]*b[4], a[3]*b[2] + a[4]*b[5] + a[5],
		}
	}
	return a
}

// encode writes a picture into a new file; errTooManyBytes where it has more than the maximum in every
// quality, 0: it may have any.
func encode(dir string, picture *image.RGBA, maximum int64, asPNG bool) (*File, error) {
	disk, err := os.CreateTemp(dir, temporary+"*")
	if err != nil {
		return nil, noRoom(err)
	}
	file, err := encodeTo(disk, picture, maximum, asPNG)
	if err = errors.Join(err, disk.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(disk.Name()))
	}
	return file, nil
}

func encodeTo(disk *os.File, picture *image.RGBA, maximum int64, asPNG bool) (*File, error) {
	maximum = cmp.Or(maximum, unlimited)
	err := errTooManyBytes
	if asPNG {
		err = png.Encode(&bounded{&writer{disk: disk}, maximum}, picture)
	} else {
		for _, quality := range qualities {
			if err = restart(disk); err != nil {
				return nil, err
			}
			if err = jpeg.Encode(&bounded{&writer{disk: disk}, maximum}, picture, &jpeg.Options{Quality: quality}); !errors.Is(err, errTooManyBytes) {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	size, err := disk.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("keeping media: %w", err)
	}
	facts, err := Probe(disk, size)
	if err != nil {
		return nil, err
	}
	return &File{MediaFacts: facts, Path: disk.Name(), refitted: true}, nil
}

// restart empties a file.
func restart(disk *os.File) error {
	_, err := disk.Seek(0, io.SeekStart)
	if err = errors.Join(err, disk.Truncate(0)); err != nil {
		return fmt.Errorf("keeping media: %w", err)
	}
	return nil
}

// bounded passes so many bytes on.
type bounded struct {
	to   io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errTooManyBytes
	}
	return b.to.Write(p)
}
