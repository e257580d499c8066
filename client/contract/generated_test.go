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
	"strings"

	"crier/client/contract"
	"crier/client/internal/api"
)

// generated is the driver of the code that is generated from the API's description, as somebody
// uses it who writes nothing besides: it shows what the layer by hand is for.
type generated struct{}

func (generated) do(ctx context.Context, task contract.Task) (contract.Outcome, error) {
	transport := &http.Transport{DisableKeepAlives: true} // which tries again by itself on a kept connection
	calls := &api.Client{Server: task.URL + "/api/v1/", Client: &http.Client{Transport: transport, Timeout: seconds(max(task.Patience, 2))}, RequestEditors: []api.RequestEditorFn{
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+task.Key)
			return nil
		},
	}}
	if task.Abort > 0 {
		called, abort := context.WithTimeoutCause(ctx, seconds(task.Abort), context.Canceled)
		defer abort()
		ctx = called
	}
	outcome, err := generatedTask{calls, task}.do(ctx)
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(context.Cause(ctx), context.Canceled) {
		err = context.Canceled
	}
	outcome.Error = failure(err)
	return outcome, nil
}

type generatedTask struct {
	*api.Client
	contract.Task
}

func (g generatedTask) text(name string) string { text, _ := g.Input[name].(string); return text }

func (g generatedTask) do(ctx context.Context) (contract.Outcome, error) {
	post := goTask{Task: g.Task}.draft("Good morning")
	params := &api.CreatePostParams{}
	if key := g.text("idempotencyKey"); key != "" {
		params.IdempotencyKey = &key
	}
	var outcome contract.Outcome
	switch g.Action {
	case "create":
		return outcome, readInto(&struct{}{})(g.CreatePost(ctx, params, post))
	case "create twice":
		for range 2 {
			var answer api.PostAnswer
			if err := readInto(&answer)(g.CreatePost(ctx, params, post)); err != nil {
				return outcome, err
			}
			outcome.Items = append(outcome.Items, answer.Post.ID)
			if g.Input["different"] == true {
				post.Content = "Good evening"
			}
		}
		return outcome, nil
	case "create bulk":
		return outcome, readInto(&struct{}{})(g.CreatePosts(ctx, &api.CreatePostsParams{}, api.BulkCreate{Posts: []api.Post{post, post}}))
	case "create brand":
		return outcome, readInto(&struct{}{})(g.CreateBrand(ctx, api.BrandName{Name: g.text("name")}))
	case "cancel":
		err := readInto(&struct{}{})(g.DeletePost(ctx, g.text("id")))
		return contract.Outcome{Value: "cancelled"}, err
	case "change":
		return outcome, readInto(&struct{}{})(g.UpdatePost(ctx, g.text("id"), api.PostUpdate{Content: new("Changed"), ExternalID: new("")}))
	case "read":
		var answer api.PostAnswer
		err := readInto(&answer)(g.GetPost(ctx, g.text("id")))
		if err != nil {
			return outcome, err
		}
		return contract.Outcome{Value: string(answer.Post.Status) + " " + answer.Post.Platforms[0].PostID}, nil
	case "list", "first of a list":
		var answer api.PostsAnswer
		err := readInto(&answer)(g.ListPosts(ctx, &api.ListPostsParams{ExternalID: new(g.text("name")), Limit: new(2)}))
		for _, post := range answer.Posts {
			outcome.Items = append(outcome.Items, post.ID)
		}
		return outcome, err
	case "upload":
		return g.upload(ctx)
	}
	return outcome, fmt.Errorf("the generated driver knows no %q", g.Action)
}

// upload sends a file in one request, and completes it.
func (g generatedTask) upload(ctx context.Context) (contract.Outcome, error) {
	content, err := base64.StdEncoding.DecodeString(g.text("content"))
	if err != nil {
		return contract.Outcome{}, err
	}
	var address api.MediaAddressAnswer
	if err := readInto(&address)(g.CreateMediaUploadURL(ctx, api.MediaAnnounce{FileName: "film.mp4", Size: int64(len(content))})); err != nil {
		return contract.Outcome{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address.UploadURL, bytes.NewReader(content))
	if err != nil {
		return contract.Outcome{}, err
	}
	if err := readInto(&struct{}{})(g.Client.Client.Do(request)); err != nil {
		return contract.Outcome{}, err
	}
	var answer api.MediaAnswer
	err = readInto(&answer)(g.CompleteUpload(ctx, address.MediaID))
	return contract.Outcome{Value: fmt.Sprint(answer.Media.Type, " ", answer.Media.Size)}, err
}

// readInto reads an answer, as whoever has no layer does for the first time.
func readInto(answer any) func(*http.Response, error) error {
	return func(response *http.Response, err error) error {
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
		return json.Unmarshal(body, answer)
	}
}
