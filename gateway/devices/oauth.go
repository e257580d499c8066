package devices

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// grantType is what a device asks for its key by (RFC 8628, 3.4).
const grantType = "urn:ietf:params:oauth:grant-type:device_code"

const (
	maxForm = 8 << 10 // bytes
	maxName = 100     // bytes, of a device
)

type codeResponse struct {
	DeviceCode              string `json:"device_code"`
	UserCode                string `json:"user_code"`
	VerificationURI         string `json:"verification_uri"`
	VerificationURIComplete string `json:"verification_uri_complete"`
	ExpiresIn               int    `json:"expires_in"` // seconds
	Interval                int    `json:"interval"`   // seconds
}

type tokenResponse struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	Scope       string `json:"scope"`
}

// code begins the request of a device.
func (d *devices) code(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return refuse(c, "invalid_request", err.Error())
	}
	name := cleaned(form.Get("device_name"))
	if name == "" {
		name = cleaned(form.Get("client_id"))
	}
	if name == "" {
		return refuse(c, "invalid_client", "client_id is missing: it says what asks, and becomes the name of the key")
	}
	permission, err := permissionOf(form.Get("scope"))
	if err != nil {
		return refuse(c, "invalid_scope", err.Error())
	}
	device, err := people.NewToken(d.Random)
	if err != nil {
		return err
	}
	user, err := people.NewUserCode(d.Random)
	if err != nil {
		return err
	}
	authorization := people.NewDevice{Name: name, Address: admission.RequestOf(c).Address.String(), Permission: permission}
	authorization.Device, _ = people.HashToken(device)
	authorization.User, _ = people.HashUserCode(user)
	if err := d.Store.CreateDevice(c.Request.Context(), authorization); err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")
	return answer.JSON(c, http.StatusOK, codeResponse{
		DeviceCode: device, UserCode: user, VerificationURI: d.Page, VerificationURIComplete: d.Page + "?code=" + user,
		ExpiresIn: int(people.DeviceLife.Seconds()), Interval: int(people.DeviceInterval.Seconds()),
	})
}

// token gives a device its key, once somebody has approved it.
func (d *devices) token(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return refuse(c, "invalid_request", err.Error())
	}
	if given := form.Get("grant_type"); given != grantType {
		return refuse(c, "unsupported_grant_type", "grant_type must be "+grantType)
	}
	hash, ok := people.HashToken(form.Get("device_code"))
	if !ok {
		return refuse(c, "invalid_grant", "device_code is not one of this server's")
	}
	var secret string
	standing, key, err := d.Store.TakeDeviceKey(c.Request.Context(), hash, func(sandbox bool) (k schema.KeyRecord, hash [32]byte, err error) {
		if secret, err = schema.NewAPIKey(d.Random, sandbox); err != nil {
			return k, hash, fmt.Errorf("making a key: %w", err)
		}
		k.CreatedAt = d.Now().UTC().Truncate(time.Millisecond)
		k.ID, k.Prefix = schema.NewID[schema.KeyID](k.CreatedAt), schema.APIKeyPrefix(secret)
		return k, schema.HashAPIKey(secret), nil
	})
	switch {
	case err != nil:
		return err
	case standing != people.DeviceApproved:
		return refuse(c, refusals[standing].code, refusals[standing].why)
	}
	c.Header("Cache-Control", "no-store")
	return answer.JSON(c, http.StatusOK, tokenResponse{AccessToken: secret, TokenType: "Bearer", Scope: strings.Join(key.Permission.Names(), " ")})
}

// refusals are what a device is told that gets no key (RFC 8628, 3.5).
var refusals = map[people.DeviceStanding]struct{ code, why string }{
	people.DeviceWaiting:  {"authorization_pending", "nobody has decided yet"},
	people.DeviceTooEarly: {"slow_down", "the interval was not over; it is 5 seconds longer from now on"},
	people.DeviceDenied:   {"access_denied", "it was refused, or whoever approved it is no member any more"},
	people.DeviceExpired:  {"expired_token", "nobody has decided within ten minutes; begin anew"},
	people.DeviceUnknown:  {"invalid_grant", "there is no such request, or its key was given already"},
}

// refuse answers with an error of OAuth (RFC 6749, 5.2).
func refuse(c *gin.Context, code, why string) error {
	c.Header("Cache-Control", "no-store")
	return answer.JSON(c, http.StatusBadRequest, answer.OAuthFailure{Error: code, Description: why})
}

// readForm reads the form of a device, in which each parameter stands once.
func readForm(c *gin.Context) (url.Values, error) {
	if kind := c.ContentType(); kind != gin.MIMEPOSTForm {
		return nil, fmt.Errorf("a form is wanted: Content-Type must be %s", gin.MIMEPOSTForm)
	}
	text, err := body.ReadBodyOf(c, maxForm)
	if err != nil {
		return nil, fmt.Errorf("the form did not arrive whole, or is larger than %d bytes", maxForm)
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, fmt.Errorf("the form cannot be read: %s", strings.ToValidUTF8(err.Error(), ""))
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, fmt.Errorf("%s is given %d times", body.Clip(name), len(values))
		}
	}
	return form, nil
}

// permissionOf returns the highest permission of a scope, which includes the others; read where it is empty.
func permissionOf(scope string) (schema.Permission, error) {
	highest := schema.Read
	for _, name := range strings.Fields(scope) {
		permission, err := schema.ParsePermission(name)
		if err != nil {
			return 0, fmt.Errorf("scope names %s; there are read, write and admin", body.Clip(name))
		}
		highest = max(highest, permission)
	}
	return highest, nil
}

// cleaned is a name without what cannot be shown in a line.
func cleaned(name string) string {
	isHidden := func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), isHidden), " ")
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return strings.TrimSpace(name)
}
