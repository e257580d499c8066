package media

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// partQuery is the number of a part in the address that takes it.
const partQuery = "part"

// headerMD5 is the checksum that a bucket takes with a part, too: of its bytes, in base64.
const headerMD5 = "Content-MD5"

// parts answers with which parts of an upload have come, and where the others go. Whoever may
// ask could send them, which takes more than a key that only reads.
func (m *media) parts(c *gin.Context, id schema.MediaID) error {
	u, err := m.owned(c, id)
	if err != nil {
		return err
	}
	if u.State != schema.UploadAwaited {
		return &schema.Error{Kind: schema.InvalidState, Message: "this upload is complete"}
	}
	left := u.ExpiresAt.Sub(m.Now())
	if u.Announced.Parts() == 0 || left <= 0 {
		return mediaNotFound(nil)
	}
	parts, err := m.partsOf(c.Request.Context(), u, max(left, time.Second))
	if schema.KindOf(err) == schema.NotFound {
		return &schema.Error{Kind: schema.InvalidState, Message: "the parts of this upload were put together; complete it", Err: err}
	}
	if err != nil {
		return err
	}
	return answer.JSON(c, http.StatusOK, partsResponse{
		Success: true, MediaID: u.ID.String(), Method: http.MethodPut, Headers: map[string]string{},
		ExpiresAt: answer.Moment(u.ExpiresAt), PartSize: u.Announced.PartSize, Parts: parts,
	})
}

// owned returns an upload of the caller's workspace.
func (m *media) owned(c *gin.Context, id schema.MediaID) (schema.Upload, error) {
	found, err := m.Store.Media(c.Request.Context(), admission.RequestOf(c).Key.Workspace, []schema.MediaID{id})
	if err != nil {
		return schema.Upload{}, err
	}
	if len(found) == 0 {
		return schema.Upload{}, mediaNotFound(nil)
	}
	return found[0], nil
}

func (m *media) partsOf(ctx context.Context, u schema.Upload, life time.Duration) ([]partView, error) {
	parts, err := m.Contents.Parts(ctx, u, life)
	if err != nil {
		return nil, err
	}
	views := make([]partView, len(parts))
	for i, p := range parts {
		views[i] = partView{Number: p.Number, Offset: p.Offset, Size: p.Size, Received: p.Received, UploadURL: p.URL}
		if p.URL == "" {
			views[i].UploadURL = m.address(u) + "?" + partQuery + "=" + strconv.Itoa(p.Number)
		}
	}
	return views, nil
}

// receivePart takes a part of an upload; of two that send the same one the later counts.
func (m *media) receivePart(c *gin.Context, u schema.Upload, text string) error {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > u.Announced.Parts() {
		return mediaNotFound(err)
	}
	part := u.Announced.Part(number)
	if length := c.Request.ContentLength; length >= 0 && length != part.Size {
		return refusedContent("body", &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf("part %d has to have %d bytes", number, part.Size)})
	}
	content, err := withMD5(newTransfer(c, part.Size, transferLimit), c.GetHeader(headerMD5))
	if err != nil {
		return err
	}
	sum, err := m.Contents.KeepPart(u, number, content)
	if err != nil {
		return refusedContent("body", err)
	}
	c.Header("ETag", `"`+hex.EncodeToString(sum)+`"`)
	return answer.Named(c, http.StatusOK, "part", receivedPart{number, part.Size, hex.EncodeToString(sum)}, nil)
}

// complete ends an upload. It may be asked again: the upload stays as it is. What turns out
// to be none is removed, and its addresses with it.
func (m *media) complete(c *gin.Context, id schema.MediaID) error {
	u, err := m.owned(c, id)
	if err != nil {
		return err
	}
	if u.State == schema.UploadAwaited {
		prolong(c, completeLimit+answerGrace)
		if u, err = m.assemble(c.Request.Context(), u); err != nil {
			return err
		}
	}
	return m.Library.answer(c, http.StatusOK, u, nil)
}

func (m *media) assemble(ctx context.Context, u schema.Upload) (schema.Upload, error) {
	facts, err := m.Contents.Assemble(ctx, u, anyMedia)
	if schema.KindOf(err) == schema.Refused {
		if gone := m.Store.DeleteMedia(ctx, u.Workspace, u.ID); gone != nil {
			return u, gone
		}
		return u, refusedContent("id", err)
	}
	if err != nil {
		return u, err
	}
	return m.Library.complete(ctx, u, facts)
}

// sum is content whose checksum is looked at when all of it was read.
type sum struct {
	content io.Reader
	hash    hash.Hash
	want    string
	wrong   error
}

// summed is content of a SHA-256 in hex; empty: of any.
func summed(content io.Reader, want string) io.Reader {
	if want == "" {
		return content
	}
	return &sum{content, sha256.New(), want, &schema.Error{Kind: schema.Refused, Message: "the content is not what was announced: its SHA-256 is another"}}
}

// withMD5 is content of an MD5 in base64; empty: of any.
func withMD5(content io.Reader, header string) (io.Reader, error) {
	if header == "" {
		return content, nil
	}
	want, err := base64.StdEncoding.DecodeString(header)
	if err != nil || len(want) != md5.Size {
		return nil, schema.InvalidField(headerMD5, body.CodeInvalidValue, "must be an MD5 in base64")
	}
	return &sum{content, md5.New(), hex.EncodeToString(want), &schema.Error{Kind: schema.Refused, Message: "the part did not arrive as it was sent: its MD5 is another"}}, nil
}

// Read implements io.Reader.
func (s *sum) Read(p []byte) (int, error) {
	n, err := s.content.Read(p)
	s.hash.Write(p[:n]) // never fails
	if errors.Is(err, io.EOF) && hex.EncodeToString(s.hash.Sum(nil)) != s.want {
		err = s.wrong
	}
	return n, err
}
