package mcp

import (
	"context"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
	"crier/schema"
)

// tools are those of a server.
type tools struct {
	config  Config
	server  *sdk.Server
	schemas *jsonschema.ForOptions
	inputs  map[string]*jsonschema.Schema // by tool
}

// about describes a tool.
type about struct {
	name, title string
	says        string // to the model: what it does, and what to know before it is called
	effect      effect
}

// effect is what a tool does to the world.
type effect int

const (
	reads   effect = iota // changes nothing
	stores                // adds something that nobody but the workspace sees
	fetches               // likewise, from elsewhere
	removes               // takes something away that nobody has seen
	posts                 // makes something public, once however often it is called
	repeats               // makes something public, each time that it is called
)

func (e effect) annotations(title string) *sdk.ToolAnnotations {
	destroys := e >= removes // what is public cannot be taken back
	reaches := e == fetches || e >= posts
	return &sdk.ToolAnnotations{
		Title: title, ReadOnlyHint: e == reads, DestructiveHint: &destroys, OpenWorldHint: &reaches,
		IdempotentHint: e != fetches && e != repeats,
	}
}

// add adds a tool whose input and output have the types of what it calls.
func add[In, Out any](t *tools, a about, do func(*call, context.Context, In) (Out, error)) {
	t.inputs[a.name] = schemaOf[In](t.schemas)
	tool := &sdk.Tool{
		Name: a.name, Title: a.title, Description: a.says, Annotations: a.effect.annotations(a.title),
		InputSchema: t.inputs[a.name], OutputSchema: schemaOf[Out](t.schemas),
	}
	sdk.AddTool(t.server, tool, func(ctx context.Context, request *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		out, err := do(t.begin(request.Extra, a.name), ctx, in)
		if err != nil {
			var none Out
			return nil, none, inWords(err)
		}
		return nil, out, nil
	})
}

// schemaOf describes a type that is written here: one that cannot be described is a fault.
func schemaOf[T any](options *jsonschema.ForOptions) *jsonschema.Schema {
	s, err := jsonschema.For[T](options)
	if err != nil {
		panic(fmt.Sprintf("describing the input or output of a tool: %v", err))
	}
	return s
}

// enums are the types of which every value is known.
func enums() *jsonschema.ForOptions {
	var platforms []any
	for _, p := range schema.Platforms() {
		platforms = append(platforms, p.String())
	}
	return &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[client.Platform](): enum(platforms...),
		reflect.TypeFor[client.PostStatus](): enum(client.PostDraft, client.PostScheduled, client.PostProcessing, client.PostPosted,
			client.PostPartiallyFailed, client.PostFailed, client.PostCancelled),
		reflect.TypeFor[client.MediaType](): enum(client.Image, client.Video, client.PDF),
		reflect.TypeFor[client.MediaFit]():  enum("cover", "contain"),
		reflect.TypeFor[client.Metric](): enum(client.MetricImpressions, client.MetricReach, client.MetricViews, client.MetricLikes, client.MetricComments,
			client.MetricShares, client.MetricSaves, client.MetricClicks, client.MetricWatchSeconds, client.MetricEngagement),
		reflect.TypeFor[report](): enum(reportPosts, reportFollowers),
		reflect.TypeFor[kind]():   enum(kindComments, kindMentions),
	}}
}

func enum(values ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: values} }
