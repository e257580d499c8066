package bluesky

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// maxBlobBytes is what a PDS must take for the largest video of the lexicon.
const maxBlobBytes = 300_000_000

// videoProcessing is how long the video service takes.
const videoProcessing = time.Second

// blobID names a blob of an account in the world.
func blobID(did, cid string) string { return did + "/" + cid }

// content is what is known of bytes that were uploaded.
type content struct {
	cid      string
	mimeType string
	size     int64
	content  string // by the world
}

// receive reads an upload. The type is that of the content where it can be told, as a
// PDS has it.
func (s *simulator) receive(r *http.Request) (content, error) {
	const sniffed = 512 // bytes that http.DetectContentType looks at
	body := bufio.NewReaderSize(http.MaxBytesReader(nil, r.Body, maxBlobBytes), sniffed)
	head, err := body.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return content{}, fmt.Errorf("reading upload: %w", err)
	}
	mimeType := http.DetectContentType(head)
	if mimeType == "application/octet-stream" {
		mimeType = r.Header.Get("Content-Type")
	}
	hash, name := sha256.New(), s.world.NewContent()
	keeping := s.world.Keep(name, 0)
	size, err := io.Copy(io.MultiWriter(hash, keeping), body)
	if err := errors.Join(err, keeping.Close()); err != nil {
		return content{}, refusal{http.StatusRequestEntityTooLarge, "PayloadTooLarge", "request entity too large"}
	}
	return content{cid: cidOf(rawBytes, [sha256.Size]byte(hash.Sum(nil))), mimeType: mimeType, size: size, content: name}, nil
}

func (s *simulator) uploadBlob(rw http.ResponseWriter, r *http.Request) (any, error) {
	token, err := s.tokens.verify(r, accessScope)
	if err != nil {
		return nil, err
	}
	if err := s.uploads.take(rw.Header(), token.Subject, 1); err != nil {
		return nil, err
	}
	if r.Header.Get("Content-Type") == "" {
		return nil, invalid("InvalidRequest", "Request encoding (Content-Type) required but not provided")
	}
	c, err := s.receive(r)
	if err != nil {
		return nil, err
	}
	if err := s.keepBlob(token.Subject, c, time.Time{}); err != nil {
		return nil, err
	}
	return map[string]any{"blob": newBlobRef(c.cid, c.mimeType, c.size)}, nil
}

func (s *simulator) keepBlob(did string, c content, readyAt time.Time) error {
	_, err := s.world.PutUpload(simulation.Upload{
		ID: blobID(did, c.cid), Account: did, Type: c.mimeType, Size: c.size, ReadyAt: readyAt, Content: c.content,
	})
	return err
}

// jobFields is what the world keeps of a job of the video service.
type jobFields struct {
	CID string `json:"cid"`
}

// uploadVideo starts a job. It answers without the envelope its lexicon promises, and
// with a conflict to a video it knows, as the real service does.
func (s *simulator) uploadVideo(rw http.ResponseWriter, r *http.Request) {
	job, known, err := s.startJob(r)
	run := s.answer(func(http.ResponseWriter, *http.Request) (any, error) { return job, err })
	if err != nil || !known {
		run(rw, r)
		return
	}
	respond(rw, http.StatusConflict, map[string]string{
		"jobId": job["jobId"].(string), "did": r.URL.Query().Get("did"), "state": jobCompleted,
		"error": alreadyExists, "message": "Video already processed",
	})
}

func (s *simulator) startJob(r *http.Request) (job map[string]any, known bool, err error) {
	did, err := s.videoAccount(r)
	if err != nil {
		return nil, false, err
	}
	c, err := s.receive(r)
	if err != nil {
		return nil, false, err
	}
	if !slices.Contains(films, c.mimeType) {
		return nil, false, invalid("InvalidRequest", "detected file format ("+c.mimeType+") is not supported ("+strings.Join(films, ", ")+")")
	}
	c.mimeType = mp4 // the service makes one of it
	sum := sha256.Sum256([]byte(blobID(did, c.cid)))
	id := hex.EncodeToString(sum[:10])
	if _, known := s.world.Upload(id); known {
		return map[string]any{"jobId": id}, true, nil
	}
	fields, err := json.Marshal(jobFields{CID: c.cid})
	if err != nil {
		return nil, false, fmt.Errorf("encoding job: %w", err)
	}
	readyAt := s.world.Now().Add(videoProcessing)
	if err := s.keepBlob(did, c, readyAt); err != nil {
		return nil, false, err
	}
	upload := simulation.Upload{ID: id, Account: did, Type: c.mimeType, Size: c.size, ReadyAt: readyAt, Fields: fields}
	if _, err := s.world.PutUpload(upload); err != nil {
		return nil, false, err
	}
	return map[string]any{"jobId": id, "did": did, "state": "JOB_STATE_CREATED"}, false, nil
}

// videoAccount checks the token of an upload: it must let the service upload a blob to
// the account's PDS.
func (s *simulator) videoAccount(r *http.Request) (string, error) {
	token, err := s.tokens.verify(r, "")
	if err != nil {
		return "", err
	}
	if token.Audience != serviceDID(s.world.BaseURL()) || token.Method != uploadBlob || token.Issuer != r.URL.Query().Get("did") {
		return "", refusal{http.StatusUnauthorized, "BadJwtAudience", "the token is not for this upload"}
	}
	if strings.Contains(token.Handle, markUsedUp) {
		return "", refusal{http.StatusBadRequest, usedUp, ""}
	}
	return token.Issuer, nil
}

func (s *simulator) getJobStatus(_ http.ResponseWriter, r *http.Request) (any, error) {
	id := r.URL.Query().Get("jobId")
	upload, ok := s.world.Upload(id)
	var fields jobFields
	if !ok || json.Unmarshal(upload.Fields, &fields) != nil || fields.CID == "" {
		return nil, invalid("InvalidRequest", "there is no such job")
	}
	status := map[string]any{"jobId": id, "did": upload.Account, "state": "JOB_STATE_ENCODING", "progress": 50}
	if !upload.ReadyAt.After(s.world.Now()) {
		status["state"], status["progress"] = jobCompleted, 100
		status["blob"] = newBlobRef(fields.CID, upload.Type, upload.Size)
	}
	return map[string]any{"jobStatus": status}, nil
}

// The daily allowance of the video service.
const (
	dailyVideos     = 25
	dailyVideoBytes = 10_000_000_000
)

const getUploadLimits = "app.bsky.video.getUploadLimits"

// Marks in the handles of accounts whose address of mail is not confirmed, and of those that have had their
// videos of the day.
const (
	markUnconfirmed = "unconfirmed"
	markUsedUp      = "used-up"
)

// usedUp is what the video service says to the latter, where others have the name of an error.
const usedUp = "User has exceeded daily upload videos limit"

func (s *simulator) getUploadLimits(_ http.ResponseWriter, r *http.Request) (any, error) {
	token, err := s.tokens.verify(r, "")
	if err != nil {
		return nil, err
	}
	if token.Audience != serviceDID(s.world.BaseURL()) || token.Method != getUploadLimits {
		return nil, refusal{http.StatusUnauthorized, "BadJwtAudience", "the token is not for these limits"}
	}
	if strings.Contains(token.Handle, markUnconfirmed) {
		return map[string]any{
			"canUpload": false, "error": "unconfirmed_email", "message": "Confirm your email address to upload videos",
		}, nil
	}
	if strings.Contains(token.Handle, markUsedUp) {
		return map[string]any{"canUpload": false, "remainingDailyVideos": 0, "remainingDailyBytes": dailyVideoBytes, "message": usedUp}, nil
	}
	return map[string]any{
		"canUpload": true, "remainingDailyVideos": dailyVideos, "remainingDailyBytes": dailyVideoBytes,
	}, nil
}
