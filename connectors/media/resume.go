package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"crier/schema"
)

// partly ends the names of files that are fetched and not whole. Each stays for the next step of
// its upload, if the server can go on from where it ends.
const partly = ".part"

// filling is the file of one url, as far as it has come.
type filling struct {
	*fetched
	name      string
	limits    Limits
	disk      *os.File
	size      int64  // bytes
	validator string // of what is at the url, for If-Range; empty: it cannot be continued
	isTaken   bool   // the file is another's
}

// fill opens the file of a url for its one writer; nil: somebody is writing it.
func (f *fetched) fill(name string, limits Limits) (*filling, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inUse[name+partly] > 0 {
		return nil, nil
	}
	disk, err := os.OpenFile(filepath.Join(f.folder, name+partly), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, noRoom(err)
	}
	p := &filling{fetched: f, name: name, limits: limits, disk: disk, validator: f.validators[name]}
	if p.size, err = disk.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(noRoom(err), disk.Close())
	}
	f.inUse[name+partly]++
	return p, nil
}

// end keeps what has come for the next step, where that can continue it and it is worth that.
func (p *filling) end() error {
	resumable := p.validator != "" && p.size >= p.min && !p.isTaken
	var err error
	if !resumable && !p.isTaken {
		err = p.clear()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.inUse, p.name+partly)
	delete(p.validators, p.name)
	if resumable {
		p.validators[p.name] = p.validator
	} else {
		err = errors.Join(err, ignoreMissing(os.Remove(p.disk.Name())))
	}
	return errors.Join(err, p.disk.Close())
}

// clear begins the file again.
func (p *filling) clear() error {
	if err := p.disk.Truncate(0); err != nil {
		return noRoom(err)
	}
	p.limits.Quota.Give(p.size)
	p.size, p.validator = 0, ""
	_, err := p.disk.Seek(0, io.SeekStart)
	return err
}

// whole takes the file out, under a name of its own.
func (p *filling) whole() (*File, error) {
	found, err := Probe(p.disk, p.size)
	if err != nil {
		return nil, err
	}
	taken, err := os.CreateTemp(p.folder, temporary+"*")
	if err == nil {
		err = errors.Join(os.Rename(p.disk.Name(), taken.Name()), taken.Close())
	}
	if err != nil {
		return nil, noRoom(err)
	}
	p.isTaken = true
	return &File{MediaFacts: found, Path: taken.Name(), quota: p.limits.Quota}, nil
}

// fetchOn is Fetch of a url for an upload of several steps. A connection that is cut is followed
// by another that goes on from there; what has come when the time is over stays for the next
// step, whose upload is none the worse for it.
func (f *Fetcher) fetchOn(ctx context.Context, name, address string) (file *File, err error) {
	p, err := f.fetched.fill(name, f.config.Limits)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return f.Fetch(ctx, address, f.config.Limits)
	}
	defer func() {
		if left := p.end(); left != nil && file == nil {
			err = errors.Join(err, left)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, f.config.Timeout)
	defer cancel()
	for from := p.size; ; {
		before := p.size
		err := f.fetchRest(ctx, p, address)
		e, ok := errors.AsType[*schema.Error](err)
		switch {
		case err == nil:
			return p.whole()
		case !ok || e.Kind != schema.Retryable:
			return nil, errors.Join(err, p.clear())
		case ctx.Err() == nil && p.size > before && p.validator != "":
			continue
		}
		return nil, &schema.Error{Kind: e.Kind, Message: e.Message, Err: err, Advanced: p.validator != "" && p.size >= from+p.min}
	}
}

// fetchRest fetches what is missing of a file, in one request.
func (f *Fetcher) fetchRest(ctx context.Context, p *filling, address string) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var rest http.Header
	if p.size > 0 && p.validator != "" {
		rest = http.Header{"Range": {fmt.Sprintf("bytes=%d-", p.size)}, "If-Range": {p.validator}}
	}
	response, err := f.ask(ctx, address, rest)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := p.judge(response); err != nil {
		return err
	}
	content := newPaced(response.Body, func() { giveUp(errTooSlow()) })
	defer content.stop()
	w := &writer{disk: p.disk, quota: p.limits.Quota}
	_, err = io.Copy(w, io.LimitReader(bodyOf(ctx, content), p.limits.MaxBytes+1-p.size))
	if p.size += w.taken; err == nil && p.size > p.limits.MaxBytes {
		return tooLarge(p.limits)
	}
	return err
}

// judge holds an answer against what was asked for, and begins the file again where it is all of
// what is at the url.
func (p *filling) judge(response *http.Response) error {
	isRest := response.StatusCode == http.StatusPartialContent && strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", p.size))
	switch {
	case isRest && response.ContentLength > p.limits.MaxBytes-p.size:
		return tooLarge(p.limits)
	case isRest:
		return nil
	case response.StatusCode == http.StatusPartialContent, response.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return errors.Join(&schema.Error{Kind: schema.Retryable, Message: "the media's server does not go on from where it ended"}, p.clear())
	}
	if err := judge(response, p.limits); err != nil {
		return err
	}
	if err := p.clear(); err != nil {
		return err
	}
	if !response.Uncompressed {
		p.validator = validatorOf(response.Header)
	}
	return nil
}

// validatorOf returns what names the content of an answer for If-Range (RFC 9110, 13.1.5).
func validatorOf(header http.Header) string {
	tag := header.Get("ETag")
	if strings.HasPrefix(tag, "W/") { // which is good for other things
		tag = ""
	}
	return cmp.Or(tag, header.Get("Last-Modified"))
}
