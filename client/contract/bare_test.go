package contract_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"crier/client/contract"
	"crier/client/internal/api"
)

// bare is the driver of somebody who has the types of the API and writes nothing besides: it shows what
// the client is for.
type bare struct{}

func (bare) do(ctx context.Context, task contract.Task) (contract.Outcome, error) {
	transport := &http.Transport{DisableKeepAlives: true} // which tries again by itself on a kept connection
	calls := &http.Client{Transport: transport, Timeout: seconds(max(task.Patience, 2))}
	if task.Abort > 0 {
		called, abort := context.WithTimeoutCause(ctx, seconds(task.Abort), context.Canceled)
		defer abort()
		ctx = called
	}
	outcome, err := bareTask{calls, task}.do(ctx)
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(context.Cause(ctx), context.Canceled) {
		err = context.Canceled
	}
	outcome.Error = failure(err)
	return outcome, nil
}

type bareTask struct {
	*http.Client
	contract.Task
}

func (b bareTask) text(name string) string { text, _ := b.Input[name].(string); return text }

func (b bareTask) do(ctx context.Context) (contract.Outcome, error) {
	post := goTask{Task: b.Task}.draft("Good morning")
	var outcome contract.Outcome
	switch b.Action {
	case "create":
		return outcome, b.call(ctx, http.MethodPost, "posts", post, nil)
	case "create twice":
		for range 2 {
			var response api.PostResponse
			if err := b.call(ctx, http.MethodPost, "posts", post, &response); err != nil {
				return outcome, err
			}
			outcome.Items = append(outcome.Items, response.Post.ID)
			if b.Input["different"] == true {
				post.Content = "Good evening"
			}
		}
		return outcome, nil
	case "create bulk":
		return outcome, b.call(ctx, http.MethodPost, "posts/bulk", api.BulkCreate{Posts: []api.Post{post, post}}, nil)
	case "create brand":
		return outcome, b.call(ctx, http.MethodPost, "brands", api.BrandName{Name: b.text("name")}, nil)
	case "cancel":
		err := b.call(ctx, http.MethodDelete, "posts/"+b.text("id"), nil, nil)
		return contract.Outcome{Value: "cancelled"}, err
	case "change":
		return outcome, b.call(ctx, http.MethodPatch, "posts/"+b.text("id"), api.PostUpdate{Content: new("Changed"), ExternalID: new("")}, nil)
	case "read":
		var response api.PostResponse
		err := b.call(ctx, http.MethodGet, "posts/"+b.text("id"), nil, &response)
		if err != nil {
			return outcome, err
		}
		return contract.Outcome{Value: string(response.Post.Status) + " " + response.Post.Platforms[0].PostID}, nil
	case "list", "first of a list":
		var response api.PostsResponse
		err := b.call(ctx, http.MethodGet, "posts?limit=2&externalId="+url.QueryEscape(b.text("name")), nil, &response)
		for _, post := range response.Posts {
			outcome.Items = append(outcome.Items, post.ID)
		}
		return outcome, err
	case "upload":
		return b.upload(ctx)
	}
	return outcome, fmt.Errorf("the bare driver knows no %q", b.Action)
}

// upload sends a file in one request, and completes it.
func (b bareTask) upload(ctx context.Context) (contract.Outcome, error) {
	content, err := base64.StdEncoding.DecodeString(b.text("content"))
	if err != nil {
		return contract.Outcome{}, err
	}
	var address api.MediaAddressResponse
	if err := b.call(ctx, http.MethodPost, "media/upload-url", api.MediaAnnounce{FileName: "film.mp4", Size: int64(len(content))}, &address); err != nil {
		return contract.Outcome{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address.UploadURL, bytes.NewReader(content))
	if err != nil {
		return contract.Outcome{}, err
	}
	if err := b.exchange(request, nil); err != nil {
		return contract.Outcome{}, err
	}
	var response api.MediaResponse
	err = b.call(ctx, http.MethodPost, "media/"+address.MediaID+"/complete", nil, &response)
	return contract.Outcome{Value: fmt.Sprint(response.Media.Type, " ", response.Media.Size)}, err
}

// call sends a body, unless it is nil, and reads the answer; into nil goes one that nobody wants.
func (b bareTask) call(ctx context.Context, method, path string, body, response any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, b.URL+"/api/v1/"+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+b.Key)
	request.Header.Set("Content-Type", "application/json")
	if key := b.text("idempotencyKey"); key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return b.exchange(request, response)
}

// exchange reads an answer, as whoever has no client does for the first time.
func (b bareTask) exchange(request *http.Request, answer any) error {
	response, err := b.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return errors.New(strings.TrimSpace(response.Status))
	}
	if answer == nil {
		answer = &struct{}{}
	}
	return json.Unmarshal(body, answer)
}
