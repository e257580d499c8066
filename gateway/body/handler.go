package body

import (
	"github.com/gin-gonic/gin"

	"crier/schema"
)

// WithForm is a handler of requests whose body is an object of JSON.
func WithForm(answer func(*gin.Context, *Form) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		f, err := ReadForm(c)
		if err != nil {
			return err
		}
		return answer(c, f)
	}
}

// WithID is a handler of requests whose path has the id of what they are about.
func WithID[K schema.Kind](what string, answer func(*gin.Context, schema.ID[K]) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		id, err := PathID(c.Param("id"), what, schema.ParseID[schema.ID[K]])
		if err != nil {
			return err
		}
		return answer(c, id)
	}
}

// WithIDForm is a handler of requests that have both. The id comes first: what does not exist takes no body.
func WithIDForm[K schema.Kind](what string, answer func(*gin.Context, schema.ID[K], *Form) error) func(*gin.Context) error {
	return WithID(what, func(c *gin.Context, id schema.ID[K]) error {
		return WithForm(func(c *gin.Context, f *Form) error { return answer(c, id, f) })(c)
	})
}

// WithoutParameters is a handler of reads that take no parameters: it gets a warning of each.
func WithoutParameters(answer func(*gin.Context, []schema.Detail) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		warnings, err := NoParameters(c)
		if err != nil {
			return err
		}
		return answer(c, warnings)
	}
}
