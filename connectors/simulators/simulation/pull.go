package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// AppID and AppSecret are the OAuth client that every simulator knows.
const (
	AppID     = "sandbox-app"
	AppSecret = "sandbox-app-secret"
)

// largestPull bounds what is read of an address: as much as the largest platform takes.
const largestPull = 4 << 30

// Pull fetches media as platforms do that are given an address, keeps it as
// content, and returns its type by its bytes and its size.
func (w *World) Pull(ctx context.Context, content, address string) (mediaType string, size int64, err error) {
	if w.http == nil {
		return "", 0, errors.New("this simulator reaches no addresses")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", 0, err
	}
	response, err := w.http.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", 0, fmt.Errorf("the media's server answered %d", response.StatusCode)
	}
	return w.Receive(content, 0, io.LimitReader(response.Body, largestPull))
}

// Sniff reads media to its end and returns its type by its content, and its size.
func Sniff(content io.Reader) (mediaType string, size int64, err error) {
	head := new(bytes.Buffer)
	if _, err := io.CopyN(head, content, 512); err != nil && !errors.Is(err, io.EOF) {
		return "", 0, err
	}
	rest, err := io.Copy(io.Discard, content)
	return typeOf(head.Bytes()), int64(head.Len()) + rest, err
}

const unknownType = "application/octet-stream"

// typeOf is the type of what begins so. net/http knows no film of QuickTime's, nor those of MP4 that name
// none of its brands.
func typeOf(head []byte) string {
	found := http.DetectContentType(head)
	if found != unknownType || len(head) < 12 || string(head[4:8]) != "ftyp" {
		return found
	}
	switch brand := string(head[8:12]); brand {
	case "qt  ":
		return "video/quicktime"
	case "isom", "iso2", "iso5", "iso6", "avc1", "M4V ":
		return "video/mp4"
	default:
		return unknownType
	}
}
