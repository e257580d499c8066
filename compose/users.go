package compose

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"crier/connectors/egress"
	"crier/identity/oidc"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/secure"
)

// NewUser is somebody who can sign in.
type NewUser struct {
	Email     string
	Name      string // empty: the address
	Workspace string // name of the one they become a member of; empty: none
	Role      people.Role
	Operator  bool
	Force     bool // they may have been the workspace's last owner
}

// AddUser makes a user, or gives one that there is another role, and returns the token of a link that signs
// them in once.
func AddUser(ctx context.Context, c Config, u NewUser) (token string, err error) {
	address, err := mail.ParseAddress(u.Email)
	if err != nil || address.Address != u.Email {
		return "", fmt.Errorf("%q is no address of e-mail, such as ada@example.com", u.Email)
	}
	err = operateOrBegin(ctx, c, func(ctx context.Context, o *operator) error {
		if err := o.mayBecome(ctx, u); err != nil {
			return err
		}
		var m people.Membership
		if u.Workspace != "" {
			w, err := o.admin.MakeWorkspace(byCommand(ctx, "workspace.create"), u.Workspace, "operator", false)
			if err != nil {
				return err
			}
			m = people.Membership{Workspace: w.ID, Role: u.Role}
		}
		now := o.admin.Now()
		user, err := o.people.AddUser(byCommand(ctx, "user.add"), people.User{
			ID: schema.NewID[schema.UserID](now), Email: people.Email(u.Email), Name: cmp.Or(u.Name, u.Email), IsOperator: u.Operator, CreatedAt: now,
		}, m)
		if err == nil {
			token, err = o.link(ctx, user.ID)
		}
		return err
	})
	return token, err
}

// mayBecome refuses a lesser role for a workspace's last owner. Two commands at a time may both pass: it is for mistakes.
func (o *operator) mayBecome(ctx context.Context, u NewUser) error {
	if u.Force || u.Workspace == "" || u.Role == people.Owner {
		return nil
	}
	user, err := o.people.UserOf(ctx, people.Email(u.Email))
	if schema.KindOf(err) == schema.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	owned, _, err := o.people.LastOf(ctx, user.ID)
	if err == nil && slices.Contains(owned, u.Workspace) {
		err = fmt.Errorf("%s is the last owner of %s: %s", user.Email, u.Workspace, firstAnotherOwner)
	}
	return err
}

const firstAnotherOwner = "make another one first by crier users add EMAIL --workspace NAME, or say --force"

// LinkUser returns the token of a link that signs a user in once.
func LinkUser(ctx context.Context, c Config, email string) (token string, err error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (string, error) {
		user, err := o.people.UserOf(ctx, people.Email(email))
		if err != nil {
			return "", err
		}
		return o.link(ctx, user.ID)
	})
}

// FirstLink returns the token of a link that makes the first owner; empty where somebody can sign in.
func FirstLink(ctx context.Context, c Config) (token string, err error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (string, error) {
		if has, err := o.people.HasUsers(ctx); err != nil || has {
			return "", err
		}
		return o.link(ctx, schema.UserID{})
	})
}

func (o *operator) link(ctx context.Context, user schema.UserID) (string, error) {
	token, err := people.NewToken(rand.Reader)
	if err != nil {
		return "", err
	}
	hash, _ := people.HashToken(token)
	return token, o.people.CreateLink(byCommand(ctx, "user.link"), people.Link{Hash: hash, User: user, ExpiresAt: o.admin.Now().Add(people.LinkLife)})
}

// Users lists users by their addresses, those whose addresses come after one.
func Users(ctx context.Context, c Config, after string, limit int) ([]people.User, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) ([]people.User, error) {
		return o.people.Users(ctx, people.Email(after), limit)
	})
}

// RemoveUser removes a user with their sessions. It refuses the last owner of a workspace and the only operator, unless
// it is forced.
func RemoveUser(ctx context.Context, c Config, email string, force bool) error {
	return operate(ctx, c, func(ctx context.Context, o *operator) error {
		if !force {
			if err := o.mayGo(ctx, people.Email(email)); err != nil {
				return err
			}
		}
		return o.people.RemoveUser(byCommand(ctx, "user.remove"), people.Email(email))
	})
}

// mayGo refuses as mayBecome does.
func (o *operator) mayGo(ctx context.Context, email string) error {
	user, err := o.people.UserOf(ctx, email)
	if err != nil {
		return err
	}
	owned, isOnlyOperator, err := o.people.LastOf(ctx, user.ID)
	switch {
	case err != nil:
		return err
	case len(owned) > 0:
		return fmt.Errorf("%s is the last owner of %s: %s", email, strings.Join(owned, ", "), firstAnotherOwner)
	case isOnlyOperator:
		return fmt.Errorf("%s is the only operator of the installation: make another one first by crier users add EMAIL --operator, or say --force", email)
	default:
		return nil
	}
}

// providers makes the issuers at which people sign in; none of them is called.
func (b *base) providers() ([]*oidc.Provider, error) {
	all := make([]*oidc.Provider, len(b.config.Issuers))
	for i, s := range b.config.Issuers {
		way, err := b.config.wayTo(s)
		if err != nil {
			return nil, fmt.Errorf("reaching the issuer %s: %w", s.Name, err)
		}
		all[i] = oidc.New(s, way.Client().Transport, b.store.Now)
	}
	return all, nil
}

// wayTo is a way out to an issuer and to the addresses that it says of itself: public ones, unless its operator
// says that it is on a private network.
func (c Config) wayTo(s oidc.Settings) (*egress.Egress, error) {
	way := egress.Config{Allowed: c.AllowedNetworks, UserAgent: c.userAgent()}
	if s.Private {
		way.Allowed = everywhere()
	}
	if s.CA != "" {
		var err error
		if way.TLS, err = (secure.Files{CA: s.CA}).TLS(); err != nil {
			return nil, err
		}
	}
	return egress.New(way), nil
}
