package bluesky

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

const (
	mp4 = "video/mp4"
	// lookAgain is when a video that is being processed is looked at again.
	lookAgain = 2 * time.Second
	// serviceTokenLife is how long the video service may take until it writes the
	// processed video to the PDS: what docs.bsky.app/docs/tutorials/video advises.
	serviceTokenLife = 30 * time.Minute
)

// jobStatus is app.bsky.video.defs#jobStatus.
type jobStatus struct {
	Job         string `json:"jobId"`
	State       string `json:"state"`
	Blob        blob   `json:"blob"`
	Error       string `json:"error"`
	Message     string `json:"message"`
	FailureCode string `json:"failureCode"`
}

const (
	jobCompleted = "JOB_STATE_COMPLETED"
	jobFailed    = "JOB_STATE_FAILED"
)

// alreadyExists is the error of a video the service has processed before. It comes
// with that job, whose blob is as good.
const alreadyExists = "already_exists"

// badVideo are the failures that the same video meets again.
var badVideo = []string{"validation_failure", "encoding_failure", "pds_upload_unsupported_blob_size"}

// parseJob reads a job's status. uploadVideo answers with the bare status, against its
// lexicon (github.com/bluesky-social/atproto/issues/3097).
func parseJob(body []byte) (jobStatus, error) {
	var answer struct {
		jobStatus
		Wrapped *jobStatus `json:"jobStatus"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return jobStatus{}, fmt.Errorf("reading job status: %w", err)
	}
	if answer.Wrapped != nil {
		return *answer.Wrapped, nil
	}
	return answer.jobStatus, nil
}

// uploadVideo gives the video to the service, which goes on by itself: it writes what
// it made of it to the PDS, for which it is given a token.
func (c *Connector) uploadVideo(ctx context.Context, d schema.Delivery, file *media.File) (upload, error) {
	s, token, err := c.serviceToken(ctx, d)
	if err != nil {
		return upload{}, err
	}
	body, err := file.Open()
	if err != nil {
		return upload{}, err
	}
	defer body.Close()
	send := call(d, http.MethodPost, c.video, uploadVideo, token)
	send.Query = url.Values{"did": {s.DID}, "name": {d.Key + schema.Ending(file.Type)}}
	send.Body, send.ContentType, send.ContentLength = body, file.Type, file.Size
	response, err := c.client.Do(ctx, send, nil)
	job, err := startedJob(response, err)
	if err != nil {
		return upload{}, err
	}
	u := upload{Blob: job.Blob, Video: true, Aspect: aspectRatioOf(file)}
	if !isBlob(u.Blob) {
		u.Job = job.Job
	}
	return u, nil
}

// startedJob reads what became of an upload: an error may name the job all the same.
func startedJob(response *connectors.Response, err error) (jobStatus, error) {
	if response == nil {
		return jobStatus{}, err
	}
	job, parseErr := parseJob(response.Body)
	switch {
	case err != nil && (parseErr != nil || job.Error != alreadyExists || job.Job == ""):
		return jobStatus{}, ofVideoService(err)
	case parseErr != nil:
		return jobStatus{}, &schema.Error{Kind: schema.Retryable, Message: "the video service could not be understood", Err: parseErr}
	case job.Job == "":
		return jobStatus{}, connectors.Refuse("the video service took no video: %s", job.reason())
	}
	return job, nil
}

// ofVideoService keeps a refusal of the service's own token from counting against the
// account's credentials.
func ofVideoService(err error) error {
	if schema.KindOf(err) != schema.TokenDead {
		return err
	}
	return &schema.Error{Kind: schema.Retryable, Message: "the video service refused its token", Err: err}
}

func (j jobStatus) reason() string {
	return cmp.Or(j.Message, j.FailureCode, j.Error, "no reason given")
}

// serviceToken lets the video service upload to the account's PDS.
func (c *Connector) serviceToken(ctx context.Context, d schema.Delivery) (session, string, error) {
	var answer struct {
		Token string `json:"token"`
	}
	s, err := c.ask(ctx, d, &answer, func(s session) connectors.Call {
		ask := call(d, http.MethodGet, s.PDS, getServiceAuth, s.Access)
		ask.Query = url.Values{
			"aud": {serviceDID(s.PDS)},
			"lxm": {uploadBlob},
			"exp": {strconv.FormatInt(c.now().Add(serviceTokenLife).Unix(), 10)},
		}
		return ask
	})
	if err != nil {
		return session{}, "", fmt.Errorf("asking for a token for the video service: %w", err)
	}
	return s, answer.Token, nil
}

// serviceDID returns the did:web of a server.
func serviceDID(server string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return "did:web:" + strings.ReplaceAll(parsed.Host, ":", "%3A")
}

// lookAtJob looks once how far the service is. A job that failed for a passing reason
// is dropped from the progress: the next try uploads again.
func (c *Connector) lookAtJob(ctx context.Context, d schema.Delivery, p *progress) (ready bool, err error) {
	job, err := c.job(ctx, d, p.Uploads[0].Job)
	if isBlob(job.Blob) {
		p.Uploads[0].Blob, p.Uploads[0].Job = job.Blob, ""
		return true, nil
	}
	if schema.KindOf(err) == schema.Refused {
		p.Uploads = nil
		return false, &schema.Error{Kind: schema.Retryable, Message: "the video service lost the video", Err: err}
	}
	switch {
	case err != nil:
		return false, err
	case job.State == jobFailed && slices.Contains(badVideo, job.FailureCode):
		return false, connectors.Refuse("the video service refused the video: %s", job.reason())
	case job.State == jobFailed || job.State == jobCompleted:
		p.Uploads = nil
		return false, &schema.Error{Kind: schema.Retryable, Message: "the video service failed: " + job.reason()}
	}
	return false, nil
}

// job asks for the status of a job. An error may come with a status all the same: that
// of a video processed before names its blob.
func (c *Connector) job(ctx context.Context, d schema.Delivery, id string) (jobStatus, error) {
	look := call(d, http.MethodGet, c.video, getJobStatus, "")
	look.Query = url.Values{"jobId": {id}}
	response, err := c.client.Do(ctx, look, nil)
	if response == nil {
		return jobStatus{}, fmt.Errorf("looking at the video's job: %w", err)
	}
	job, parseErr := parseJob(response.Body)
	switch {
	case err != nil:
		return job, fmt.Errorf("looking at the video's job: %w", ofVideoService(err))
	case parseErr != nil:
		return jobStatus{}, &schema.Error{Kind: schema.Retryable, Message: "the video service could not be understood", Err: parseErr}
	}
	return job, nil
}
