package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mattn/go-isatty"

	"crier/compose"
	"crier/schema/people"
)

type usersCommand struct {
	Add    usersAddCommand    `cmd:"" help:"Add somebody who can sign in, or give them a role in another workspace; prints a link that signs them in once, for ten minutes."`
	List   usersListCommand   `cmd:"" help:"List who can sign in, with their workspaces."`
	Link   usersLinkCommand   `cmd:"" help:"Print a link that signs a user in once, for ten minutes, such as for one who has forgotten the password."`
	Remove usersRemoveCommand `cmd:"" help:"Remove a user with their sessions; what they have made stays."`
}

// linkFlags say where links lead.
type linkFlags struct {
	PublicURL string `default:"http://127.0.0.1:8080" help:"Where clients reach the REST API."`
}

func (f linkFlags) link(token string) string { return signInLink(f.PublicURL, token) }

// signInLink is a link with a token in it. What stands after # is sent to no server, and is in no log.
func signInLink(url, token string) string { return strings.TrimSuffix(url, "/") + "/sign-in#" + token }

type usersAddCommand struct {
	partsFlags
	linkFlags
	Email     string `arg:"" env:"-" help:"Address of e-mail, by which they sign in."`
	Name      string `env:"-" help:"What others call them; the address when empty."`
	Workspace string `env:"-" help:"Name of a workspace that they become a member of."`
	Role      string `env:"-" help:"Their role in it: viewer, author, editor, admin, or owner (when empty)."`
	Operator  bool   `env:"-" help:"Let them see the whole installation."`
	Force     bool   `env:"-" help:"Give them a lesser role even if they are the workspace's last owner."`
}

// Run adds a user.
func (u *usersAddCommand) Run(ctx context.Context, c compose.Config) error {
	if u.Role != "" && u.Workspace == "" {
		return errors.New("--role is of a workspace: name one with --workspace")
	}
	role, err := people.ParseRole(cmp.Or(u.Role, people.Owner.String()))
	if err != nil {
		return err
	}
	token, err := compose.AddUser(ctx, c, compose.NewUser{Email: u.Email, Name: u.Name, Workspace: u.Workspace, Role: role, Operator: u.Operator, Force: u.Force})
	if err != nil {
		return err
	}
	fmt.Println(u.link(token))
	return nil
}

type usersLinkCommand struct {
	partsFlags
	linkFlags
	Email string `arg:"" env:"-" help:"Address of the user."`
}

// Run prints a link.
func (u *usersLinkCommand) Run(ctx context.Context, c compose.Config) error {
	token, err := compose.LinkUser(ctx, c, u.Email)
	if err != nil {
		return err
	}
	fmt.Println(u.link(token))
	return nil
}

type usersRemoveCommand struct {
	partsFlags
	Email string `arg:"" env:"-" help:"Address of the user."`
	Force bool   `env:"-" help:"Even if they are the last owner of a workspace, or the only operator."`
}

// Run removes a user.
func (u *usersRemoveCommand) Run(ctx context.Context, c compose.Config) error {
	if err := compose.RemoveUser(ctx, c, u.Email, u.Force); err != nil {
		return err
	}
	fmt.Printf("%s cannot sign in any more.\n", u.Email)
	return nil
}

type usersListCommand struct {
	listFlags
	After string `env:"-" help:"Go on after the user of this address." placeholder:"EMAIL"`
}

// Run lists users by their addresses.
func (u *usersListCommand) Run(ctx context.Context, c compose.Config) error {
	all, err := compose.Users(ctx, c, u.After, u.Limit)
	if err != nil {
		return err
	}
	if err := writeUsers(os.Stdout, all, u.JSON); err != nil {
		return err
	}
	if len(all) == u.Limit {
		tellMore(all[len(all)-1].Email)
	}
	return nil
}

// userLine is a user as they are listed.
type userLine struct {
	Email      string           `json:"email"`
	Name       string           `json:"name"`
	ID         string           `json:"id"`
	IsOperator bool             `json:"isOperator"`
	Workspaces []membershipLine `json:"workspaces"`
}

type membershipLine struct {
	Name string      `json:"name"`
	Role people.Role `json:"role"`
}

func userLineOf(u people.User) userLine {
	l := userLine{Email: u.Email, Name: u.Name, ID: u.ID.String(), IsOperator: u.IsOperator, Workspaces: make([]membershipLine, len(u.Memberships))}
	for i, m := range u.Memberships {
		l.Workspaces[i] = membershipLine{m.Name, m.Role}
	}
	return l
}

func writeUsers(to io.Writer, all []people.User, asJSON bool) error {
	if asJSON {
		return writeLines(to, all, userLineOf)
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "EMAIL\tNAME\tWORKSPACES")
	for _, user := range all {
		var roles []string
		if user.IsOperator {
			roles = append(roles, "operator of the installation")
		}
		for _, m := range user.Memberships {
			roles = append(roles, m.Role.String()+" of "+m.Name)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", user.Email, user.Name, strings.Join(roles, ", "))
	}
	return table.Flush()
}

// showFirstLink shows whoever is at the terminal how to sign in, while nobody can. A log would keep the
// secret. Where it cannot be made crier serves nevertheless.
func showFirstLink(ctx context.Context, r *compose.Running) {
	if !slices.Contains(r.Config.Roles, "gateway") || !isatty.IsTerminal(os.Stdout.Fd()) {
		return
	}
	switch token, err := compose.FirstLink(ctx, r.Config); {
	case err != nil:
		r.Config.Logger.WarnContext(ctx, "no link for the first owner could be made: crier users add makes one", "err", err)
	case token != "":
		fmt.Printf("\nNobody can sign in yet. This link makes the first owner; it works once, for ten minutes:\n\n  %s\n\n", signInLink(r.URL, token))
	}
}
