package media

import (
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/schema"
)

// uploadView is an upload as the API shows it.
type uploadView struct {
	ID        string           `json:"id"`
	URL       string           `json:"url,omitempty"` // once its content is there
	Type      schema.MediaKind `json:"type,omitempty"`
	MimeType  string           `json:"mimeType,omitempty"`
	Size      int64            `json:"size,omitempty"` // bytes
	Width     int              `json:"width,omitempty"`
	Height    int              `json:"height,omitempty"`
	Duration  float64          `json:"duration,omitempty"` // seconds
	Animated  bool             `json:"animated,omitempty"`
	AltText   string           `json:"altText,omitempty"`
	FileName  string           `json:"fileName,omitempty"`
	CreatedAt answer.Moment    `json:"createdAt"`
	ExpiresAt answer.Moment    `json:"expiresAt,omitzero"`
	UsedBy    []schema.PostID  `json:"usedBy,omitzero"` // where one upload is read
}

func (l *Library) view(u schema.Upload) uploadView {
	v := uploadView{
		ID: u.ID.String(), AltText: u.AltText, FileName: u.FileName,
		CreatedAt: answer.Moment(u.CreatedAt), ExpiresAt: answer.Moment(u.ExpiresAt),
	}
	if u.State == schema.UploadAwaited {
		return v
	}
	v.URL, v.Type, v.MimeType, v.Size = l.Address(u), u.Facts.Kind.APIKind(), u.Facts.Type, u.Facts.Size
	v.Width, v.Height, v.Animated = u.Facts.Width, u.Facts.Height, u.Facts.Animated
	v.Duration = u.Facts.Duration.Round(time.Millisecond).Seconds()
	return v
}

// answer answers with an upload.
func (l *Library) answer(c *gin.Context, status int, u schema.Upload, warnings []schema.Detail) error {
	return answer.Named(c, status, "media", l.view(u), warnings)
}

// addressResponse is where and how the content of an upload is to be sent.
type addressResponse struct {
	Success   bool              `json:"success"`
	UploadURL string            `json:"uploadUrl"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	MediaID   string            `json:"mediaId"`
	ExpiresAt answer.Moment     `json:"expiresAt"`
	PartSize  int64             `json:"partSize,omitempty"` // bytes
	Parts     []partView        `json:"parts,omitempty"`    // of a file that may come in parts
	Warnings  []schema.Detail   `json:"warnings,omitempty"`
}

// partView is a part of an upload as the API shows it.
type partView struct {
	Number    int    `json:"number"` // from 1
	Offset    int64  `json:"offset"` // bytes
	Size      int64  `json:"size"`   // bytes
	UploadURL string `json:"uploadUrl"`
	Received  bool   `json:"received"`
}

// partsResponse tells how far an upload in parts is.
type partsResponse struct {
	Success   bool              `json:"success"`
	MediaID   string            `json:"mediaId"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt answer.Moment     `json:"expiresAt"`
	PartSize  int64             `json:"partSize"` // bytes
	Parts     []partView        `json:"parts"`
}

// receivedPart is a part that was stored.
type receivedPart struct {
	Number int    `json:"number"`
	Size   int64  `json:"size"` // bytes
	MD5    string `json:"md5"`  // in hex
}
