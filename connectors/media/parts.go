package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// partBytes is the size of a part, and of the largest upload that comes in one piece alone.
// A bucket takes parts of 5 MiB to 5 GiB, 10,000 of them.
const partBytes = 32 << 20

// sessions takes uploads in parts by itself: a bucket does.
type sessions interface {
	// Begin returns the session of an upload; errNoParts: the service or its key has no such
	// thing.
	Begin(ctx context.Context, id schema.MediaID) (session string, err error)
	PartURL(ctx context.Context, u schema.Upload, number int, life time.Duration) (string, error)
	// Arrived returns the parts that have come; NotFound: the session is over.
	Arrived(ctx context.Context, u schema.Upload) ([]arrivedPart, error)
	// Join makes one object of the parts.
	Join(ctx context.Context, u schema.Upload, parts []arrivedPart) error
}

// arrivedPart is a part that a bucket has.
type arrivedPart struct {
	number int
	size   int64
	tag    string
}

// errNoParts is that uploads come in one piece only.
var errNoParts = errors.New("uploads in parts are not taken")

// Announce makes ready for an upload of the announced size and says whether it may come in
// parts. It is Unavailable where there is no room for it at the moment.
func (l *Library) Announce(ctx context.Context, u schema.Upload) (schema.Announced, error) {
	a := u.Announced
	box, ok := l.blobs.(sessions)
	if !ok {
		if err := l.limits.Quota.Has(a.Size); err != nil {
			return a, err
		}
	}
	if a.Size <= l.partBytes {
		return a, nil
	}
	if !ok {
		a.PartSize = l.partBytes
		return a, nil
	}
	session, err := box.Begin(ctx, u.ID)
	if errors.Is(err, errNoParts) {
		return a, nil
	}
	a.PartSize, a.Session = l.partBytes, session
	return a, err
}

// Parts returns the parts of an upload, which of them have come, and where a bucket takes the
// others for as long as life. It is NotFound where they have been put together.
func (l *Library) Parts(ctx context.Context, u schema.Upload, life time.Duration) ([]schema.UploadPart, error) {
	parts := make([]schema.UploadPart, u.Announced.Parts())
	for i := range parts {
		parts[i] = u.Announced.Part(i + 1)
	}
	box, ok := l.blobs.(sessions)
	if !ok {
		for i := range parts {
			parts[i].Received = l.partStore.has(u.ID, parts[i].Number)
		}
		return parts, nil
	}
	arrived, err := box.Arrived(ctx, u)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		parts[i].Received = includes(arrived, parts[i])
		if parts[i].URL, err = box.PartURL(ctx, u, parts[i].Number, life); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// KeepPart stores a part and returns its MD5. Of two that send the same part the later one
// counts. Errors are *schema.Error: Refused for a part of another size than it has to be, or
// that begins what is no media, InvalidState where another took its place; an error of the
// content's reader passes as it is.
func (l *Library) KeepPart(u schema.Upload, number int, content io.Reader) ([]byte, error) {
	if _, ok := l.blobs.(sessions); ok {
		return nil, errNoMedia()
	}
	return l.partStore.keep(u, u.Announced.Part(number), content)
}

// Assemble makes one of the parts of an upload and keeps it, if it is what was announced, of
// the given kinds; or takes what came in one piece. It is InvalidState while something is
// missing, Refused for what is not kept, which is removed. What was assembled before is found
// as it is.
func (l *Library) Assemble(ctx context.Context, u schema.Upload, kinds []schema.MediaKind) (schema.MediaFacts, error) {
	box, ok := l.blobs.(sessions)
	if !ok {
		return l.assembleHere(ctx, u, kinds)
	}
	absent, err := join(ctx, box, u)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	facts, err := l.Accept(ctx, u)
	if isNoMedia(err) {
		return facts, absent
	}
	if err == nil {
		err = checkKind(facts, kinds)
	}
	if schema.KindOf(err) == schema.Refused {
		err = errors.Join(err, l.blobs.Remove(ctx, u.ID))
	}
	return facts, err
}

// join makes one of the parts that a bucket has, and returns as absent what is wrong if
// nothing has come in another way: before, or in one piece.
func join(ctx context.Context, box sessions, u schema.Upload) (absent, err error) {
	if u.Announced.Parts() == 0 {
		return nothingCame(), nil
	}
	arrived, err := box.Arrived(ctx, u)
	if isNoMedia(err) {
		return nothingCame(), nil
	}
	if err != nil {
		return nil, err
	}
	absent = missing(u.Announced, func(p schema.UploadPart) bool { return includes(arrived, p) })
	if absent != nil {
		return absent, nil
	}
	return nothingCame(), box.Join(ctx, u, arrived)
}

func includes(arrived []arrivedPart, p schema.UploadPart) bool {
	return slices.ContainsFunc(arrived, func(a arrivedPart) bool { return a.number == p.Number && a.size == p.Size })
}

func nothingCame() error {
	return &schema.Error{Kind: schema.InvalidState, Message: "nothing has been uploaded yet"}
}

// assembleHere is Assemble of parts that lie in the part store.
func (l *Library) assembleHere(ctx context.Context, u schema.Upload, kinds []schema.MediaKind) (schema.MediaFacts, error) {
	if facts, err := l.there(ctx, u.ID); err == nil {
		return facts, l.partStore.clear(u.ID) // by a request that died then
	}
	if u.Announced.Parts() == 0 {
		return schema.MediaFacts{}, nothingCame()
	}
	end, err := l.partStore.close(u.ID)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	defer end()
	if err := missing(u.Announced, func(p schema.UploadPart) bool { return l.partStore.has(u.ID, p.Number) }); err != nil {
		return schema.MediaFacts{}, err
	}
	facts, err := l.takeFromParts(ctx, u, kinds)
	if err == nil || schema.KindOf(err) == schema.Refused {
		err = errors.Join(err, l.partStore.clear(u.ID))
	}
	return facts, err
}

func (l *Library) takeFromParts(ctx context.Context, u schema.Upload, kinds []schema.MediaKind) (schema.MediaFacts, error) {
	file, err := l.partStore.open(ctx, u)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	if err := checkKind(file.MediaFacts, kinds); err != nil {
		return file.MediaFacts, err
	}
	if err := l.blobs.Put(ctx, u.ID, file); errors.Is(err, errTaken) {
		return l.there(ctx, u.ID)
	} else if err != nil {
		return schema.MediaFacts{}, err
	}
	return file.MediaFacts, nil
}

// maxNamed is how many missing parts an error names.
const maxNamed = 10

// missing is the error of an upload some of whose parts have not come.
func missing(a schema.Announced, has func(schema.UploadPart) bool) error {
	var names []string
	n := 0
	for number := 1; number <= a.Parts(); number++ {
		if has(a.Part(number)) {
			continue
		}
		if n++; n <= maxNamed {
			names = append(names, strconv.Itoa(number))
		}
	}
	if n == 0 {
		return nil
	}
	text := strings.Join(names, ", ")
	if n > maxNamed {
		text += ", …"
	}
	return &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("%d of %d parts have not come: %s", n, a.Parts(), text)}
}

// checkSum refuses content that is not what was announced.
func checkSum(ctx context.Context, a schema.Announced, content io.Reader) error {
	if a.SHA256 == "" {
		return nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, inTime{ctx, content}); err != nil {
		return err
	}
	return sameSum(a, hash.Sum(nil))
}

func sameSum(a schema.Announced, sum []byte) error {
	if found := hex.EncodeToString(sum); a.SHA256 != "" && !strings.EqualFold(found, a.SHA256) {
		return refused("the content is not what was announced: its SHA-256 is "+found, nil)
	}
	return nil
}

// inTime is content that is read until its time is over.
type inTime struct {
	ctx     context.Context
	content io.Reader
}

func (t inTime) Read(p []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, &schema.Error{Kind: schema.Unavailable, Message: "looking through the upload took too long; try again", Err: err}
	}
	return t.content.Read(p)
}
