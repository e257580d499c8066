package passkey

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"crier/schema/people"
)

// Verifier makes what browsers ask authenticators, and judges their answers.
type Verifier struct{ relyingParty *webauthn.WebAuthn }

// New returns the verifier of the passkeys of a server: they are of its host, and are used on its pages alone. It
// is nil where there can be none: hosts that are addresses or one word, and http but of localhost.
func New(publicURL string) (*Verifier, error) {
	u, err := url.Parse(publicURL)
	if err != nil {
		return nil, fmt.Errorf("reading the public URL: %w", err)
	}
	host := strings.ToLower(u.Hostname())
	isName := protocol.ValidateRPID(host) == nil
	isLocal := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if !isName || u.Scheme != "https" && !isLocal {
		return nil, nil
	}
	relyingParty, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "crier", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("configuring passkeys: %w", err)
	}
	return &Verifier{relyingParty}, nil
}

// user is one as the library has it.
type user struct {
	people.User
	passkeys []people.Passkey
}

// WebAuthnID names the user to authenticators.
func (u user) WebAuthnID() []byte { return u.ID[:] }

// WebAuthnName is what authenticators show where somebody has several passkeys.
func (u user) WebAuthnName() string { return u.Email }

// WebAuthnDisplayName is the user's name.
func (u user) WebAuthnDisplayName() string { return u.Name }

// WebAuthnCredentials are the user's passkeys.
func (u user) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, len(u.passkeys))
	for i, p := range u.passkeys {
		all[i] = webauthn.Credential{
			ID: p.Credential, PublicKey: p.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: p.BackupEligible},
			Authenticator: webauthn.Authenticator{SignCount: p.SignCount},
		}
		for _, t := range p.Transports {
			all[i].Transport = append(all[i].Transport, protocol.AuthenticatorTransport(t))
		}
	}
	return all
}

// challenge is what an authenticator signs in a ceremony.
func challenge(token string) protocol.URLEncodedBase64 {
	bytes, _ := base64.RawURLEncoding.DecodeString(people.Secret(token, people.SecretChallenge)) // it is that
	return bytes
}

// CreationOptions returns what a page gives to navigator.credentials.create, as JSON. An authenticator that has
// one of the user's passkeys makes no other.
func (v *Verifier) CreationOptions(token string, u people.User, have []people.Passkey) (json.RawMessage, error) {
	owner := user{u, have}
	creation, _, err := v.relyingParty.BeginRegistration(owner,
		webauthn.WithExclusions(webauthn.Credentials(owner.WebAuthnCredentials()).CredentialDescriptors()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = challenge(token)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("making options of a passkey: %w", err)
	}
	return json.Marshal(creation.Response)
}

// Created returns the passkey that an authenticator has made in a ceremony of a user. The error says what is
// wrong with the answer.
func (v *Verifier) Created(token string, u people.User, answer []byte) (people.Passkey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return people.Passkey{}, plain(err)
	}
	owner := user{User: u}
	credential, err := v.relyingParty.CreateCredential(owner, webauthn.SessionData{
		Challenge: challenge(token).String(), UserID: owner.WebAuthnID(), UserVerification: protocol.VerificationRequired,
		CredParams: webauthn.CredentialParametersDefault(),
	}, parsed)
	if err != nil {
		return people.Passkey{}, plain(err)
	}
	p := people.Passkey{
		User: u.ID, Credential: credential.ID, PublicKey: credential.PublicKey, SignCount: credential.Authenticator.SignCount, BackupEligible: credential.Flags.BackupEligible,
	}
	for _, t := range credential.Transport {
		p.Transports = append(p.Transports, string(t))
	}
	return p, nil
}

// RequestOptions returns what a page gives to navigator.credentials.get, as JSON.
func (v *Verifier) RequestOptions(token string) (json.RawMessage, error) {
	assertion, _, err := v.relyingParty.BeginDiscoverableLogin(webauthn.WithChallenge(challenge(token)))
	if err != nil {
		return nil, fmt.Errorf("making options of a sign-in: %w", err)
	}
	return json.Marshal(assertion.Response)
}

// Used returns the passkey by which an authenticator signs somebody in, with its count as it is now. Find looks a
// passkey up by what the authenticator calls it. The error is people.ErrNoPasskey, or find's.
func (v *Verifier) Used(token string, answer []byte, find func(credential []byte) (people.Passkey, error)) (people.Passkey, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return people.Passkey{}, people.ErrNoPasskey
	}
	p, err := find(parsed.RawID)
	if err != nil {
		return p, err
	}
	owner := user{User: people.User{ID: p.User}, passkeys: []people.Passkey{p}}
	_, _, err = v.relyingParty.ValidatePasskeyLogin(
		func([]byte, []byte) (webauthn.User, error) { return owner, nil },
		webauthn.SessionData{Challenge: challenge(token).String(), UserVerification: protocol.VerificationRequired}, parsed)
	if err != nil {
		return p, people.ErrNoPasskey
	}
	// Whether the count is one that may follow is asked of the store, which knows the last one.
	p.SignCount = parsed.Response.AuthenticatorData.Counter
	return p, nil
}

// plain is an error of the library in its own words, with what it tells developers.
func plain(err error) error {
	if e, ok := errors.AsType[*protocol.Error](err); ok && e.DevInfo != "" {
		return errors.New(e.Details + ": " + e.DevInfo)
	}
	return err
}
