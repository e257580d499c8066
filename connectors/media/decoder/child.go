package decoder

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"syscall"

	"github.com/gen2brain/avif"
	"github.com/gen2brain/heic"

	"crier/connectors/media/colors"
	"crier/connectors/media/heif"
)

// variable of the environment tells a process that it is to decode, and what.
const variable = "CRIER_DECODE"

// Bounds of the process.
const (
	// maxMemory is what it may write to, in bytes: a HEIC of 48 megapixels takes 984 MiB, an AVIF of 24
	// all of it.
	maxMemory = 3 << 29
	// maxProcessor is how long it may compute, in seconds.
	maxProcessor = 30
	// maxFile is the largest file, in bytes.
	maxFile = 64 << 20
)

// Main decodes and ends the process where it was started for that. It does nothing otherwise.
func Main() {
	mediaType := os.Getenv(variable)
	if mediaType == "" {
		return
	}
	if err := run(mediaType, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(mediaType string, in io.Reader, out io.Writer) error {
	if err := bound(); err != nil {
		return err
	}
	content, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return fmt.Errorf("reading the picture: %w", err)
	}
	picture, err := decode(mediaType, content)
	if err != nil {
		return fmt.Errorf("decoding the picture: %w", err)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	if err := write(w, picture); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return w.Flush()
}

// bound bounds this process. Memory is so on Linux alone; WebAssembly has no more than 4 GiB anywhere.
func bound() error {
	for resource, maximum := range map[int]uint64{syscall.RLIMIT_DATA: maxMemory, syscall.RLIMIT_CPU: maxProcessor, syscall.RLIMIT_CORE: 0} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: maximum, Max: maximum}); err != nil {
			return fmt.Errorf("bounding the process: %w", err)
		}
	}
	return nil
}

var errSystemLibrary = errors.New("crier was built without the tag nodynamic: it would use the system's library")

func decode(mediaType string, content []byte) (image.Image, error) {
	switch mediaType {
	case heif.HEIC:
		if heic.Dynamic() == nil {
			return nil, errSystemLibrary
		}
		picture, err := heic.Decode(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		if planes, ok := picture.(*image.YCbCr); ok {
			about, err := heif.Read(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				return nil, err
			}
			colors.ToJFIF(planes, about.Colors)
		}
		return picture, nil
	case heif.AVIF:
		if avif.Dynamic() == nil {
			return nil, errSystemLibrary
		}
		return avif.Decode(bytes.NewReader(content))
	}
	return nil, fmt.Errorf("%q is not decoded here", mediaType)
}

// The kinds of pictures on their way between the processes.
const (
	kindGray = iota
	kind420
	kind422
	kind444
	kindRGBA  // premultiplied
	kindNRGBA // not
)

// header goes before the planes.
type header struct {
	Kind          uint32
	Width, Height uint32
}

var ratios = map[image.YCbCrSubsampleRatio]uint32{
	image.YCbCrSubsampleRatio420: kind420, image.YCbCrSubsampleRatio422: kind422, image.YCbCrSubsampleRatio444: kind444,
}

func write(w io.Writer, picture image.Image) error {
	size := picture.Bounds().Size()
	h := header{Width: uint32(size.X), Height: uint32(size.Y)}
	begin := func(kind uint32) error {
		h.Kind = kind
		return binary.Write(w, binary.BigEndian, h)
	}
	switch m := picture.(type) {
	case *image.Gray:
		return errors.Join(begin(kindGray), writeRows(w, m.Pix, m.Stride, size.X, size.Y))
	case *image.RGBA:
		return errors.Join(begin(kindRGBA), writeRows(w, m.Pix, 4*size.X, 4*size.X, size.Y))
	case *image.NRGBA:
		return errors.Join(begin(kindNRGBA), writeRows(w, m.Pix, m.Stride, 4*size.X, size.Y))
	case *image.RGBA64: // the library has only the upper bytes where they belong
		return errors.Join(begin(kindRGBA), writeUpper(w, m.Pix))
	case *image.YCbCr:
		kind, ok := ratios[m.SubsampleRatio]
		if !ok {
			return fmt.Errorf("chroma of %v", m.SubsampleRatio)
		}
		width, height := chromaSize(kind, size)
		return errors.Join(begin(kind), writeRows(w, m.Y, m.YStride, size.X, size.Y),
			writeRows(w, m.Cb, m.CStride, width, height), writeRows(w, m.Cr, m.CStride, width, height))
	}
	return fmt.Errorf("a picture of type %T", picture)
}

func writeRows(w io.Writer, plane []byte, stride, width, height int) error {
	for y := range height {
		if y*stride+width > len(plane) {
			return io.ErrUnexpectedEOF
		}
		if _, err := w.Write(plane[y*stride : y*stride+width]); err != nil {
			return err
		}
	}
	return nil
}

// writeUpper writes the upper byte of each number of two.
func writeUpper(w io.Writer, pix []byte) error {
	row := make([]byte, 0, 4096)
	for at := 0; at+2 <= len(pix); at += 2 {
		if row = append(row, pix[at]); len(row) == cap(row) {
			if _, err := w.Write(row); err != nil {
				return err
			}
			row = row[:0]
		}
	}
	_, err := w.Write(row)
	return err
}

// chromaSize returns the size of a plane of chroma.
func chromaSize(kind uint32, size image.Point) (width, height int) {
	switch kind {
	case kind420:
		return (size.X + 1) / 2, (size.Y + 1) / 2
	case kind422:
		return (size.X + 1) / 2, size.Y
	default:
		return size.X, size.Y
	}
}
