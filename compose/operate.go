package compose

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"crier/compose/embedded"
	"crier/connectors"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
	"crier/schema/postgres/deletion"
	"crier/schema/postgres/mail"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/restores"
	"crier/schema/sleep"
)

// operator is what commands beside serve work with: the database, the vault, connectors.
type operator struct {
	config Config
	admin  *operation.Admin
	people *postgres.People
	mail   *mail.Store
	vault  *connectors.Vault

	deletions *deletion.Store
	restores  *restores.Store

	bind func(context.Context) error // before the vault seals: see bindKeyset
}

// operate runs a command on the database of the config: the one by URL, that of the
// process which holds the data folder, or an embedded one started for it. A folder that
// holds none is the wrong folder: an empty list, or a backup of nothing, would be believed.
func operate(ctx context.Context, c Config, work func(context.Context, *operator) error) error {
	if c.Postgres == "" && !embedded.HoldsPostgres(c.Data) {
		return fmt.Errorf("%s holds no PostgreSQL of crier: name the folder with --data, or a PostgreSQL elsewhere with --postgres", c.Data)
	}
	return operateOrBegin(ctx, c, work)
}

// operateFor is operate for work that has a result.
func operateFor[T any](ctx context.Context, c Config, work func(context.Context, *operator) (T, error)) (result T, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		result, err = work(ctx, o)
		return err
	})
	return result, err
}

// operateOrBegin is operate for what may be the first command on a data folder. With a
// PostgreSQL elsewhere nothing is held in the folder: a rotation waits for processes, one of which
// may start with it meanwhile.
func operateOrBegin(ctx context.Context, c Config, work func(context.Context, *operator) error) error {
	if c.Postgres != "" {
		if err := os.MkdirAll(c.Data, 0o700); err != nil {
			return fmt.Errorf("creating data folder: %w", err)
		}
		return operateOn(ctx, c, work)
	}
	data, err := embedded.OpenData(c.Data)
	if err == nil {
		return errors.Join(operateAlone(ctx, c, data, work), data.Close())
	}
	running, neighbourErr := embedded.Neighbour(c.Data)
	if neighbourErr != nil {
		return errors.Join(err, neighbourErr)
	}
	if c.Postgres = running.Postgres; c.Postgres == "" {
		return fmt.Errorf("the crier that runs on %s is still starting, or has its PostgreSQL elsewhere: name that with --postgres", c.Data)
	}
	return operateOn(ctx, c, work)
}

func operateAlone(ctx context.Context, c Config, data *embedded.Data, work func(context.Context, *operator) error) error {
	return withPostgres(ctx, c, data, func(c Config) error {
		if err := postgres.Migrate(ctx, c.Postgres); err != nil {
			return err
		}
		return operateOn(ctx, c, work)
	})
}

// withPostgres starts the data folder's PostgreSQL for as long as use takes, and gives it the
// config that names it.
func withPostgres(ctx context.Context, c Config, data *embedded.Data, use func(Config) error) error {
	server, err := embedded.StartPostgres(ctx, data, c.Logger)
	if err != nil {
		return fmt.Errorf("starting PostgreSQL: %w", err)
	}
	defer func() {
		if err := server.Stop(context.WithoutCancel(ctx)); err != nil {
			c.Logger.Error("stopping PostgreSQL failed", "err", err)
		}
	}()
	c.Postgres = server.NearURL()
	return use(c)
}

func operateOn(ctx context.Context, c Config, work func(context.Context, *operator) error) error {
	store, err := postgres.Open(ctx, postgres.Config{URL: c.Postgres, MaxConns: 2, Logger: c.Logger})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := postgres.CheckMigrated(ctx, c.Postgres); err != nil {
		return err
	}
	vault, err := openVault(ctx, c, store)
	if err != nil {
		return err
	}
	return work(ctx, &operator{
		config: c, admin: postgres.NewAdmin(store), people: postgres.NewPeople(store), mail: postgres.NewMail(store, rand.Reader), vault: vault, deletions: deletion.New(store.DB, deletion.Late),
		restores: restores.New(store.DB),
		bind:     func(ctx context.Context) error { return bindKeyset(ctx, c, store, vault) },
	})
}

// byCommand returns the context of what a command changes, for the audit log.
func byCommand(ctx context.Context, action string) context.Context {
	name := "unknown"
	if who, err := user.Current(); err == nil {
		name = who.Username
	}
	return people.WithAudited(ctx, people.Audited{
		Action: action, Actor: people.Actor{Kind: people.ByCommand, Name: cmp.Or(os.Getenv("SUDO_USER"), name)},
	})
}

// CreateKey makes a key of a workspace, and the workspace if need be, and returns it; it
// is shown this once. A test key belongs to the workspace's sandbox twin, which has an
// account of every platform from its first key on. A workspace that is made has the given
// plan, operator where none is given; one that is there keeps its own, and another is an
// error.
func CreateKey(ctx context.Context, c Config, workspace, plan string, test bool) (key string, err error) {
	if strings.TrimSpace(workspace) == "" {
		return "", errors.New("the workspace needs a name")
	}
	err = operateOrBegin(ctx, c, func(ctx context.Context, o *operator) error {
		key, err = o.createKey(byCommand(ctx, "key.create"), workspace, plan, test)
		return err
	})
	return key, err
}

func (o *operator) createKey(ctx context.Context, workspace, plan string, test bool) (string, error) {
	fresh := cmp.Or(plan, "operator")
	if err := o.checkPlan(ctx, fresh); err != nil {
		return "", err
	}
	w, err := o.admin.MakeWorkspace(ctx, workspace, fresh, test)
	if err != nil {
		return "", err
	}
	if plan != "" && plan != w.Plan {
		return "", fmt.Errorf("workspace %q is there already, on the plan %s: leave --plan out", workspace, w.Plan)
	}
	if test {
		if err := o.bind(ctx); err != nil {
			return "", err
		}
		if err := (sandboxes{o.admin, o.vault, o.config.Logger}).addAccounts(ctx, w.ID, simulatedPlatforms(), true); err != nil {
			return "", err
		}
	}
	key, err := schema.NewAPIKey(rand.Reader, test)
	if err != nil {
		return "", err
	}
	now := o.admin.Now()
	id := schema.NewID[schema.KeyID](now)
	k := schema.KeyRecord{
		ID: id, Lineage: id, Workspace: w.ID, Name: "made by crier keys create", Prefix: schema.APIKeyPrefix(key),
		Permission: schema.Admin, CreatedAt: now,
	}
	return key, o.admin.CreateKey(ctx, k, schema.HashAPIKey(key))
}

// checkPlan refuses the name of a plan that does not exist.
func (o *operator) checkPlan(ctx context.Context, name string) error {
	plans, err := o.admin.Plans(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(plans))
	for i := range plans {
		names[i] = plans[i].Name
	}
	if !slices.Contains(names, name) {
		return fmt.Errorf("%q is no plan; the plans are %s", name, strings.Join(names, ", "))
	}
	return nil
}

// GivePlan puts a workspace on another plan. It returns the one before.
func GivePlan(ctx context.Context, c Config, workspace, plan string) (before string, err error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (string, error) {
		if err := o.checkPlan(ctx, plan); err != nil {
			return "", err
		}
		return o.admin.GivePlan(byCommand(ctx, "workspace.plan"), workspace, plan)
	})
}

// SetLimits says which limits the posts of a workspace are held to. It returns the set before.
func SetLimits(ctx context.Context, c Config, workspace, limits string) (before schema.LimitSet, err error) {
	set, err := schema.ParseLimitSet(limits)
	if err != nil {
		return 0, err
	}
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (schema.LimitSet, error) {
		return o.admin.SetLimits(byCommand(ctx, "workspace.limits"), workspace, set)
	})
}

// Workspaces lists live workspaces by name, those whose names come after one.
func Workspaces(ctx context.Context, c Config, after string, limit int) ([]schema.Workspace, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) ([]schema.Workspace, error) {
		return o.admin.Workspaces(ctx, after, limit)
	})
}

// RevokeKey revokes a key. A key that does not exist is an error: it was mistyped, and the one
// that was meant still works.
func RevokeKey(ctx context.Context, c Config, key string) error {
	return operate(ctx, c, func(ctx context.Context, o *operator) error {
		return o.admin.RevokeKey(byCommand(ctx, "key.revoke"), schema.HashAPIKey(key))
	})
}

// DeletionRequest is what a deletion would take, and what confirms it.
type DeletionRequest struct {
	Contents     schema.DeletionContents
	Confirmation string // of ConfirmDeletion: the id, a dot and a secret
}

// AskDeletion asks what the deletion of a workspace, by its name, or of an account, by its id,
// would take. Nothing is deleted before ConfirmDeletion.
func AskDeletion(ctx context.Context, c Config, workspace, account string) (pending DeletionRequest, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		now := o.admin.Now()
		wanted := schema.Deletion{ID: schema.NewID[schema.DeletionID](now), OfWorkspace: account == "", AskedAt: now}
		if wanted.OfWorkspace {
			w, err := o.admin.Workspace(ctx, workspace)
			if err != nil {
				return err
			}
			wanted.Workspace = w.ID
		} else if wanted.Account, wanted.Workspace, err = o.accountOf(ctx, account); err != nil {
			return err
		}
		token := rand.Text()
		pending.Confirmation = wanted.ID.String() + "." + token
		pending.Contents, err = o.deletions.Ask(byCommand(ctx, "deletion.ask"), wanted, schema.HashAPIKey(token))
		return err
	})
	return pending, err
}

func (o *operator) accountOf(ctx context.Context, text string) (schema.AccountID, schema.WorkspaceID, error) {
	id, err := schema.ParseID[schema.AccountID](text)
	if err != nil {
		return id, schema.WorkspaceID{}, fmt.Errorf("there is no account %s: %w", text, err)
	}
	workspace, err := o.admin.WorkspaceOfAccount(ctx, id)
	return id, workspace, err
}

// ConfirmDeletion deletes, and returns once nothing goes out any more. A process with the role
// analytics removes the data. It can be called again.
func ConfirmDeletion(ctx context.Context, c Config, id schema.DeletionID, token string) (schema.Deletion, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (schema.Deletion, error) {
		return o.deletions.Stop(byCommand(ctx, "deletion.confirm"), id, schema.HashAPIKey(token))
	})
}

// DeletionState returns how far a deletion is.
func DeletionState(ctx context.Context, c Config, id schema.DeletionID) (schema.Deletion, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (schema.Deletion, error) {
		all, err := o.deletions.Deletions(ctx, id)
		if err != nil {
			return schema.Deletion{}, err
		}
		return all[0], nil
	})
}

// DeadLetters returns what stages have given up on, oldest first, after an id.
func DeadLetters(ctx context.Context, c Config, after schema.DeadLetterID, limit int) ([]schema.DeadLetter, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) ([]schema.DeadLetter, error) {
		return o.admin.DeadLetters(ctx, after, limit)
	})
}

// ReplayDeadLetters puts dead letters back, and returns how many of ids were dead. What
// nobody could read is written to the log by the next serve with role delay.
func ReplayDeadLetters(ctx context.Context, c Config, ids []schema.DeadLetterID) (int, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (int, error) {
		return o.admin.Replay(byCommand(ctx, "dead_letters.replay"), ids)
	})
}

// ReplayAllDeadLetters puts every dead letter back, batch by batch, and tells progress
// after each how many there are so far. It returns how many, after an error too: they are
// replayed for good.
func ReplayAllDeadLetters(ctx context.Context, c Config, progress func(replayed int)) (int, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (int, error) {
		return o.admin.ReplayAll(byCommand(ctx, "dead_letters.replay"), progress)
	})
}

// UnsuspendKey ends the suspension of a key before its time.
func UnsuspendKey(ctx context.Context, c Config, key string) (k schema.KeyRecord, err error) {
	id, err := schema.ParseID[schema.KeyID](key)
	if err != nil {
		return k, fmt.Errorf("there is no key %s: %w", key, err)
	}
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (schema.KeyRecord, error) {
		workspace, err := o.admin.WorkspaceOfKey(ctx, id)
		if err != nil {
			return schema.KeyRecord{}, err
		}
		return o.admin.Unsuspend(byCommand(ctx, "key.unsuspend"), workspace, id)
	})
}

// roomEvery is how often NotifyKeys looks whether there is room for more mail.
const roomEvery = 5 * time.Second

// NotifyKeys stores mail for whoever owns a key that works: the member who made it, else the address that the workspace
// was registered by, else its owners. Each address gets one. The same text goes on where it was cut off. wait is told
// where as many mails wait as may. It returns how many were stored.
func NotifyKeys(ctx context.Context, c Config, subject, text string, wait func(waiting int)) (stored int, err error) {
	subject, text = strings.TrimSpace(subject), strings.TrimSpace(text)
	if subject == "" || text == "" {
		return 0, errors.New("a mail needs a subject and a text")
	}
	sum := sha256.Sum256([]byte(subject + "\n" + text))
	notice := people.Notice{ID: schema.NoticeID(sum[:16]), Subject: subject, Text: text}
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		if err := o.mail.PutNotice(byCommand(ctx, "keys.notify"), notice); err != nil {
			return err
		}
		for after := (schema.KeyID{}); ; {
			n, last, full, err := o.mail.Notify(ctx, notice.ID, after)
			if err != nil {
				return err
			}
			stored += n
			switch {
			case full:
				wait(people.MaxMails)
				if err := sleep.For(ctx, roomEvery); err != nil {
					return err
				}
			case last.IsZero():
				return nil
			default:
				after = last
			}
		}
	})
	return stored, err
}
