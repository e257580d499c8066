package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier/client"
	"crier/schema"
)

// known are the workspace's brands and accounts, under the names that calendars call them by.
type known struct {
	brands   []client.Brand
	accounts []client.Account
}

// namesSomebody reports whether a cell calls an account or a brand otherwise than by its id. A
// brand has accounts, which are looked up by its id, too.
func (h heading) namesSomebody(cell string) bool {
	for _, m := range h.meanings {
		switch m.column.field {
		case "brandId":
			return true
		case "accounts", "profile":
			return slices.ContainsFunc(list(cell), func(name string) bool { return !strings.HasPrefix(name, "acc_") })
		}
	}
	return false
}

// needsKnown reports whether a row that was read names brands or accounts.
func (t *table) needsKnown() bool {
	return slices.ContainsFunc(t.headings, func(h heading) bool { return h.names })
}

// readKnown asks the server for them.
func readKnown(ctx context.Context, api *client.Client) (*known, error) {
	brands, err := api.Brands.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading brands: %w", err)
	}
	accounts, err := api.Accounts.List(ctx, client.AccountFilter{})
	if err != nil {
		return nil, fmt.Errorf("reading accounts: %w", err)
	}
	return &known{brands, accounts}, nil
}

// maxNames is how many names an error lists.
const maxNames = 10

// brand is the id of a brand that a file calls by id or by name.
func (k *known) brand(names map[string]string, name string) (string, error) {
	name = named(names, name)
	if strings.HasPrefix(name, "brand_") || k == nil {
		return name, nil
	}
	var found, all []string
	for _, b := range k.brands {
		all = append(all, b.Name)
		if strings.EqualFold(strings.TrimSpace(b.Name), name) {
			found = append(found, b.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("no brand is called %q%s: say which it is by --name %s", clipped(name), among(all), quotedWord(name+"=brand_…"))
	default:
		return "", fmt.Errorf("%d brands are called %q: say which it is by --name %s", len(found), clipped(name), quotedWord(name+"=brand_…"))
	}
}

// accountOf is the only account that a brand has on a platform.
func (k *known) accountOf(brand, name string, platform schema.Platform) (string, error) {
	if k == nil {
		return "", nil
	}
	var found []string
	for _, a := range k.accounts {
		if a.BrandID == brand && string(a.Platform) == platform.String() {
			found = append(found, a.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("the brand %q has no account on %s", clipped(name), platform)
	default:
		return "", fmt.Errorf("the brand %q has %d accounts on %s: name one behind a colon, such as %s:%s", clipped(name), len(found), platform, platform, found[0])
	}
}

// account is the one that a file calls by its id, its handle or its title; of any platform where
// none is told.
func (k *known) account(names map[string]string, name string, platform schema.Platform) (target, error) {
	meant := named(names, name)
	if p, id, ok := strings.Cut(meant, ":"); ok {
		if parsed, err := parsePlatform(p); err == nil {
			if platform != 0 && platform != parsed {
				return target{}, fmt.Errorf("%q is an account on %s, not on %s", clipped(name), parsed, platform)
			}
			return target{parsed, id}, nil
		}
	}
	if strings.HasPrefix(meant, "acc_") || k == nil {
		if platform == 0 {
			return target{}, fmt.Errorf("%q is no platform: write platform:account", clipped(name))
		}
		return target{platform, meant}, nil
	}
	var found []target
	var all []string
	for _, a := range k.accounts {
		p, err := schema.ParsePlatform(string(a.Platform))
		if err != nil || platform != 0 && p != platform {
			continue
		}
		all = append(all, a.Name)
		if isCalled(a, meant) {
			found = append(found, target{p, a.ID})
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return target{}, fmt.Errorf("no account is called %q%s: say which it is by --name %s, or leave the column out by --ignore",
			clipped(name), among(all), quotedWord(name+"=platform:acc_…"))
	default:
		return target{}, fmt.Errorf("%d accounts are called %q: say which it is by --name %s", len(found), clipped(name), quotedWord(name+"=platform:acc_…"))
	}
}

// has reports whether a file calls an account so, or several.
func (k *known) has(names map[string]string, name string) bool {
	meant := named(names, name)
	return meant != strings.TrimSpace(name) || k != nil && slices.ContainsFunc(k.accounts, func(a client.Account) bool { return isCalled(a, meant) })
}

// isCalled reports whether a name of the file is an account's.
func isCalled(a client.Account, name string) bool {
	return strings.EqualFold(strings.TrimPrefix(a.Name, "@"), strings.TrimPrefix(name, "@")) || a.NativeID == name
}

// named is what a name of the file is said to be, or itself.
func named(names map[string]string, name string) string {
	for known, is := range names {
		if strings.EqualFold(strings.TrimSpace(known), strings.TrimSpace(name)) {
			return is
		}
	}
	return strings.TrimSpace(name)
}

func among(all []string) string {
	if len(all) == 0 {
		return ""
	}
	more := ""
	if len(all) > maxNames {
		all, more = all[:maxNames], ", …"
	}
	return " (there are " + strings.Join(all, ", ") + more + ")"
}
