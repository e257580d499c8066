package accounts

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"crier/connectors"
	"crier/schema"
)

// newToken makes the token for a stage.
func (s *authorizations) newToken() (string, error) {
	random := make([]byte, 32)
	if _, err := io.ReadFull(s.Random, random); err != nil {
		return "", fmt.Errorf("making a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(random), nil
}

// staged returns a consent at a stage, with what that needs sealed.
func (s *authorizations) staged(consent schema.Consent, stage schema.ConsentStage, content any) (schema.Consent, error) {
	var err error
	consent.Stage, consent.ExpiresAt = stage, s.Now().Add(schema.ConsentLife)
	consent.Sealed, err = s.sealJSON(consent.SealedFor(), content)
	return consent, err
}

// unstage reads what staged has sealed.
func (s *authorizations) unstage(consent schema.Consent, content any) error {
	return s.openJSON(consent.SealedFor(), consent.Sealed, content)
}

func (s *authorizations) sealJSON(associated string, content any) ([]byte, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", associated, err)
	}
	return s.Vault.SealText(associated, string(text))
}

func (s *authorizations) openJSON(associated string, sealed []byte, content any) error {
	text, err := s.Vault.OpenText(associated, sealed)
	if err != nil {
		return err
	}
	if json.Unmarshal([]byte(text), content) != nil { // its error would quote it
		return fmt.Errorf("opening %s: not JSON", associated)
	}
	return nil
}

// serverApp returns what crier is registered as with a consent's server; zero where it is not.
func (s *authorizations) serverApp(ctx context.Context, consent schema.Consent) (app connectors.App, err error) {
	sealed, err := s.Store.ServerApp(ctx, appName(consent), s.callbackURL(consent.Platform))
	if err != nil || len(sealed) == 0 {
		return app, err
	}
	return app, s.openJSON(appName(consent), sealed, &app)
}

// putServerApp keeps an app for further consents.
func (s *authorizations) putServerApp(ctx context.Context, consent schema.Consent, app connectors.App) error {
	sealed, err := s.sealJSON(appName(consent), app)
	if err != nil {
		return err
	}
	return s.Store.PutServerApp(ctx, appName(consent), s.callbackURL(consent.Platform), sealed)
}

// appName names the app of a server, and what it is sealed for. The simulator is a server of
// its own.
func appName(c schema.Consent) string {
	server := c.Server
	if c.Sandbox {
		server = "sandbox"
	}
	return "app " + c.Platform.String() + " " + server
}
