package importer

import (
	"fmt"
	"slices"
	"strings"

	"crier/schema"
	"crier/schema/spelling"
)

type target struct {
	Platform  schema.Platform `json:"platform"`
	AccountID string          `json:"accountId,omitempty"`
}

// addTargets reads platforms such as "mastodon, bluesky:acc_…"; accounts in a column of
// their own stand in the same order.
func (p *post) addTargets() *problem {
	var targets []target
	for _, f := range p.flags {
		switch on, err := yes(f.cell); {
		case err != nil:
			return &problem{field: "platform." + f.platform.String(), message: fmt.Sprintf("%s, not %q", err, clipped(f.cell))}
		case on:
			targets = append(targets, target{Platform: f.platform})
		}
	}
	profiles, wrong := p.profiles()
	if wrong != nil {
		return wrong
	}
	targets = append(targets, profiles...)
	named := p.cells["platforms"]
	if named == "" && len(targets) == 0 {
		named = p.mapping.Platforms
	}
	for _, name := range platformNames(named) {
		name, account, _ := strings.Cut(name, ":")
		platform, err := parsePlatform(name)
		if err != nil {
			wrong = wrong.and(&problem{field: "platforms", message: noPlatform(name).Error()})
		}
		targets = append(targets, target{platform, account})
	}
	if wrong != nil {
		return wrong
	}
	p.targets = targets
	if wrong := p.addAccounts(); wrong != nil {
		return wrong
	}
	return p.addBrand()
}

// profiles are the targets that a column of profiles names: a platform, or an account by its name.
func (p *post) profiles() (targets []target, _ *problem) {
	cell := p.cells["profile"]
	if cell == "" {
		return nil, nil
	}
	for _, name := range p.accountNames(cell) {
		if platform, err := parsePlatform(name); err == nil {
			targets = append(targets, target{Platform: platform})
			continue
		}
		t, err := p.known.account(p.mapping.Names, name, 0)
		if err != nil {
			return nil, &problem{field: p.from["profile"], code: codeUnsupported, message: err.Error()}
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// accountNames splits a cell of accounts. A comma may be part of a name, as in "Acme, Inc.": then what stands
// between the other separators are accounts.
func (p *post) accountNames(cell string) (names []string) {
	for _, separators := range []string{";|\r\n", ",;|\r\n"} {
		names = nil
		for _, name := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			names = append(names, strings.TrimSpace(name))
		}
		if !slices.ContainsFunc(names, func(name string) bool { return !p.known.has(p.mapping.Names, name) }) {
			break
		}
	}
	return names
}

// addAccounts reads a column of accounts, in the order of the platforms: by id, or by name.
func (p *post) addAccounts() *problem {
	cell := p.cells["accounts"]
	if cell == "" {
		return nil
	}
	accounts := list(cell)
	if !slices.ContainsFunc(accounts, func(a string) bool { return strings.HasPrefix(a, "acc_") }) { // names may have blanks
		accounts = p.accountNames(cell)
	}
	if len(accounts) != len(p.targets) {
		return &problem{field: "accounts", message: fmt.Sprintf("there are %d accounts for %d platforms", len(accounts), len(p.targets))}
	}
	for i, name := range accounts {
		if strings.HasPrefix(name, "acc_") {
			p.targets[i].AccountID = name
			continue
		}
		t, err := p.known.account(p.mapping.Names, name, p.targets[i].Platform)
		if err != nil {
			return &problem{field: p.from["accounts"], code: codeUnsupported, message: err.Error()}
		}
		p.targets[i] = t
	}
	return nil
}

// addBrand finds the brand, by its id or its name, and of each platform without an account the
// brand's only one: a post of one brand must not go out on an account of another.
func (p *post) addBrand() *problem {
	name := p.cells["brandId"]
	if name == "" {
		return nil
	}
	id, err := p.known.brand(p.mapping.Names, name)
	if err != nil {
		return &problem{field: p.from["brandId"], code: codeUnsupported, message: err.Error()}
	}
	p.cells["brandId"] = id
	for i, t := range p.targets {
		if t.AccountID != "" {
			continue
		}
		if p.targets[i].AccountID, err = p.known.accountOf(id, name, t.Platform); err != nil {
			return &problem{field: p.from["brandId"], code: codeUnsupported, message: err.Error()}
		}
	}
	return nil
}

// platformNames splits a cell of platforms. Names of several words stay together where commas or
// the like separate them.
func platformNames(cell string) (names []string) {
	for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|+&\r\n", r) }) {
		part = strings.TrimSpace(part)
		if _, err := parsePlatform(part); err == nil && part != "" {
			names = append(names, part)
			continue
		}
		names = append(names, list(part)...)
	}
	return names
}

// nicknames are other names of platforms that calendars use, as plainName has them.
var nicknames = map[string]schema.Platform{
	"x": schema.Twitter, "ig": schema.Instagram, "fb": schema.Facebook, "li": schema.LinkedIn, "yt": schema.YouTube,
	"twitter/x": schema.Twitter, "x/twitter": schema.Twitter, "x(twitter)": schema.Twitter, "twitter(x)": schema.Twitter, "tw": schema.Twitter,
	"xtwitter": schema.Twitter, "x(formerlytwitter)": schema.Twitter,
	"insta": schema.Instagram, "instagrambusiness": schema.Instagram, "instagrambusinessprofile": schema.Instagram,
	"facebookpage": schema.Facebook, "fbpage": schema.Facebook, "meta": schema.Facebook,
	"linkedinpage": schema.LinkedIn, "linkedincompany": schema.LinkedIn, "linkedincompanypage": schema.LinkedIn,
	"linkedinprofile": schema.LinkedIn, "linkedinpersonal": schema.LinkedIn, "ln": schema.LinkedIn,
	"youtubechannel": schema.YouTube, "youtubeshorts": schema.YouTube, "pin": schema.Pinterest, "tt": schema.TikTok, "bsky": schema.Bluesky,
	"googlebusiness": schema.GoogleBusiness, "google": schema.GoogleBusiness, "gbp": schema.GoogleBusiness, "gmb": schema.GoogleBusiness,
	"googlebusinessprofile": schema.GoogleBusiness, "googlemybusiness": schema.GoogleBusiness,
}

// noPlatform is the error for a name that is no platform's, with the one that may be meant.
func noPlatform(name string) error {
	var names []string
	for _, p := range schema.Platforms() {
		names = append(names, p.String())
	}
	like := ""
	if nearest := spelling.Nearest(name, names); nearest != "" {
		like = " (did you mean " + nearest + "?)"
	}
	return fmt.Errorf("%q is no platform%s: %s are", clipped(name), like, schema.PlatformNames())
}

func parsePlatform(name string) (schema.Platform, error) {
	if p, ok := nicknames[plainName(name)]; ok {
		return p, nil
	}
	return schema.ParsePlatform(strings.ToLower(strings.TrimSpace(name)))
}

// addKind makes a post a story or a reel where a platform has them. One that has none would
// publish something else, which refuses the row.
func (p *post) addKind(map[string]any, *row) *problem {
	cell := p.cells["kind"]
	if cell == "" {
		return nil
	}
	kinds := map[string]string{
		"story": "STORIES", "stories": "STORIES", "reel": "REELS", "reels": "REELS", "short": "REELS", "shorts": "REELS",
		"post": "", "feed": "", "feedpost": "", "standard": "", "status": "", "text": "", "image": "", "photo": "", "video": "", "carousel": "", "album": "", "link": "",
		"pdf": "", "document": "",
	}
	kind, known := kinds[plainName(cell)]
	if !known {
		return &problem{field: p.from["kind"], code: codeUnsupported, message: fmt.Sprintf("%q is no kind of post that crier knows: post, story, reel and short are", clipped(cell))}
	}
	if kind == "" {
		return nil
	}
	for _, t := range p.targets {
		switch {
		case t.Platform == schema.Instagram || t.Platform == schema.Facebook:
			p.set(t.Platform, "mediaType", kind)
		case kind == "REELS" && (t.Platform == schema.YouTube || t.Platform == schema.TikTok): // whose short videos are videos
		default:
			return &problem{field: p.from["kind"], code: codeUnsupported, message: fmt.Sprintf("%q: %s has none", clipped(cell), t.Platform)}
		}
	}
	return nil
}
