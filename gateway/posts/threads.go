package posts

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// threads is the resource of threads. A thread is a view of a post with several entries:
// it is created, stored and published as a post.
type threads struct{ posts *posts }

func (t *threads) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodPost, "/threads", schema.Write, t.create).For(people.Author),
		admission.Handle(http.MethodGet, "/threads/:id", schema.Read, body.WithoutParameters(t.get)),
		admission.Handle(http.MethodPatch, "/threads/:id", schema.Write, t.update).For(people.Author),
		admission.Handle(http.MethodDelete, "/threads/:id", schema.Write, t.delete),
	}
}

// threadResponse is the answer of what makes, reads or changes a thread.
type threadResponse struct {
	Success  bool            `json:"success"`
	Thread   threadView      `json:"thread"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

func (t *threads) create(c *gin.Context) error {
	return t.posts.createFrom(c, readThreadFields, func(post schema.Post, warnings []schema.Detail) any {
		return threadResponse{Success: true, Thread: viewThread(post), Warnings: warnings}
	})
}

// get answers with a thread as its post stands now.
func (t *threads) get(c *gin.Context, warnings []schema.Detail) error {
	post, err := t.read(c)
	if err != nil {
		return err
	}
	return answer.JSON(c, http.StatusOK, threadResponse{Success: true, Thread: viewThread(post), Warnings: warnings})
}

// read returns the post of the thread that a path names.
func (t *threads) read(c *gin.Context) (schema.Post, error) {
	id, err := schema.ParseID[schema.ThreadID](c.Param("id"))
	if err != nil {
		return schema.Post{}, noThread(err)
	}
	admission.RequestOf(c).Post = schema.PostID(id).String()
	post, err := t.posts.Store.Post(c.Request.Context(), admission.RequestOf(c).Key.Workspace, schema.PostID(id))
	if err != nil {
		return post, threadNotFound(err)
	}
	if post.Content.Thread == nil {
		return post, noThread(nil)
	}
	return post, nil
}

// threadNotFound replaces a NotFound about a post by one about a thread.
func threadNotFound(err error) error {
	if schema.KindOf(err) == schema.NotFound {
		return noThread(err)
	}
	return err
}

func noThread(cause error) error {
	return &schema.Error{Kind: schema.NotFound, Message: "thread not found", Err: cause}
}

// delete removes a draft or cancels a scheduled thread, with its post.
func (t *threads) delete(c *gin.Context) error {
	post, err := t.read(c)
	if err != nil {
		return err
	}
	cancelled, err := t.posts.Store.Delete(c.Request.Context(), post.Workspace, post.ID)
	if err != nil {
		return threadNotFound(err)
	}
	return answerDeleted(c, post.ThreadID().String(), cancelled)
}
