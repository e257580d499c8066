package devices

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// Store is all that devices ask of the database.
type Store interface {
	// CreateDevice is RateLimitExceeded where too many came from the network lately.
	CreateDevice(ctx context.Context, device people.NewDevice) error
	// Device is NotFound where no device waits with the code, and RateLimitExceeded for a user who tries too many.
	Device(ctx context.Context, user schema.UserID, code [32]byte) (people.DeviceRequest, error)
	// DecideDevice is as Device; a request is decided once.
	DecideDevice(ctx context.Context, decision people.DeviceDecision) error
	// TakeDeviceKey makes the key of a device that is approved, once. generate makes what is stored of a key, and
	// its hash.
	TakeDeviceKey(ctx context.Context, device [32]byte, generate func(sandbox bool) (schema.KeyRecord, [32]byte, error)) (people.DeviceStanding, schema.KeyRecord, error)
}

// Config is what devices are served with.
type Config struct {
	Store  Store
	Page   string // address of the page at which members type codes
	Now    func() time.Time
	Random io.Reader
}

// The paths that devices call, whose failures have OAuth's shape (answer.Failures.OAuth).
const (
	CodePath  = "/device/code"
	TokenPath = "/device/token"
)

// Routes returns the operations of devices, and of members who decide.
func Routes(c Config) []admission.Route {
	d := &devices{c}
	return []admission.Route{
		admission.Handle(http.MethodPost, CodePath, admission.Public, d.code),
		admission.Handle(http.MethodPost, TokenPath, admission.Public, d.token),
		admission.HandleMember(http.MethodGet, "/device/:userCode", people.Viewer, body.WithoutParameters(d.show)),
		admission.HandleMember(http.MethodPost, "/device/:userCode/approve", people.Viewer, d.approve),
		admission.HandleMember(http.MethodPost, "/device/:userCode/deny", people.Viewer, d.deny),
	}
}

// devices is the resource of devices that ask for a key.
type devices struct{ Config }

// deviceView is a device as a member sees it who decides.
type deviceView struct {
	Name        string        `json:"name"`
	Address     string        `json:"address"` // the network it asks from
	Permissions []string      `json:"permissions"`
	Workspace   workspaceView `json:"workspace"` // whose key it would get
	CreatedAt   answer.Moment `json:"createdAt"`
	ExpiresAt   answer.Moment `json:"expiresAt"`
}

type workspaceView struct {
	ID   schema.WorkspaceID `json:"id"`
	Name string             `json:"name"`
	Test bool               `json:"test"`
}

// show answers with the device of a code, as it would be approved in the session's workspace.
func (d *devices) show(c *gin.Context, warnings []schema.Detail) error {
	code, err := typed(c)
	if err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	found, err := d.Store.Device(c.Request.Context(), session.User.ID, code)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")
	return answer.Named(c, http.StatusOK, "device", deviceView{
		Name: found.Name, Address: found.Address, Permissions: min(found.Permission, session.Role.Grants()).Names(),
		Workspace: workspaceView{session.Workspace, session.Name, session.Sandbox},
		CreatedAt: answer.Moment(found.CreatedAt), ExpiresAt: answer.Moment(found.ExpiresAt),
	}, warnings)
}

// approve lets the device of a code have a key of the session's workspace.
func (d *devices) approve(c *gin.Context) error {
	return d.decide(c, true, "the device gets its key within seconds; DELETE /keys/{id} ends it")
}

func (d *devices) deny(c *gin.Context) error { return d.decide(c, false, "the device is refused") }

func (d *devices) decide(c *gin.Context, approved bool, message string) error {
	code, err := typed(c)
	if err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	err = d.Store.DecideDevice(c.Request.Context(), people.DeviceDecision{
		Code: code, User: session.User.ID, Workspace: session.Scope, Approved: approved,
	})
	if err != nil {
		return err
	}
	return answer.Done(c, message)
}

// typed reads the code of a path.
func typed(c *gin.Context) ([32]byte, error) {
	code, ok := people.HashUserCode(c.Param("userCode"))
	if !ok {
		return code, &schema.Error{Kind: schema.NotFound, Message: "this is no code of a device: it has eight letters, as in WDJB-MJHT"}
	}
	return code, nil
}
