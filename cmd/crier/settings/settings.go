package settings

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Tags of flags: `env:"-"` is of flags that name an action, which the command line alone
// gives; `file:"-"` of those that a configuration file, which is of an installation, does not
// give; `secret:""` of values that are secret or hold a secret, `secret:"only"` of those that
// the command line must not give; `unset:"…"` says what stands in the place of a flag that is not set.
const (
	tagFile       = "file"
	tagSecret     = "secret"
	tagUnset      = "unset"
	onlyElsewhere = "only" // elsewhere than on the command line
)

// Settings resolve the flags that the command line leaves out. It is used for one command line.
type Settings struct {
	prefix  string // of variables
	command string // whose flags a configuration file may name
	lookup  func(string) (string, bool)

	loaded  bool
	file    file
	known   map[string]*kong.Flag // that a file may name
	names   map[*kong.Flag]string // of variables; none of flags that name an action
	origins map[string]string     // of values, by flag
	wrong   []error
}

// New returns the settings of a program: prefix is that of its variables, command is the one
// whose flags, with those of the program itself, a configuration file may name.
func New(prefix, command string, lookup func(string) (string, bool)) *Settings {
	return &Settings{prefix: prefix + "_", command: command, lookup: lookup, known: map[string]*kong.Flag{}, names: map[*kong.Flag]string{}, origins: map[string]string{}}
}

// Options make a parser use the settings; it must have a flag --config.
func (s *Settings) Options() []kong.Option {
	return []kong.Option{
		kong.PostBuild(func(k *kong.Kong) error { s.nameAll(k.Model.Node); return nil }),
		kong.ValueFormatter(s.help),
		kong.Resolvers(kong.ResolverFunc(s.resolve)),
		kong.Bind(s),
	}
}

// nameAll names the variables of flags. Kong must not read them itself: it stops at the first
// error, and shows the value in it.
func (s *Settings) nameAll(n *kong.Node) {
	for _, flag := range n.Flags {
		action := len(flag.Envs) == 1 && flag.Envs[0] == "-"
		flag.Envs, flag.Tag.Envs = nil, nil
		if action || flag.Name == "help" {
			continue
		}
		s.names[flag] = s.prefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		if (n.Type == kong.ApplicationNode || n.Name == s.command) && flag.Name != configFlag && flag.Tag.Get(tagFile) != "-" {
			s.known[flag.Name] = flag
		}
	}
	for _, child := range n.Children {
		s.nameAll(child)
	}
}

const configFlag = "config"

// help is a flag's help with its default, unless the parser shows that, and its variables.
func (s *Settings) help(value *kong.Value) string {
	var notes []string
	if unset := value.Tag.Get(tagUnset); unset != "" {
		notes = append(notes, "default: "+unset)
	}
	if variables := s.Variables(value.Flag); len(variables) > 0 {
		notes = append(notes, "$"+strings.Join(variables, ", $"))
	}
	if len(notes) == 0 {
		return value.Help
	}
	return strings.TrimSuffix(value.Help, ".") + " (" + strings.Join(notes, "; ") + ")."
}

// Variables are the names of the variables that give a flag, that of a file with its value last; none
// of a flag that names an action.
func (s *Settings) Variables(flag *kong.Flag) []string {
	name := s.names[flag]
	switch {
	case name == "":
		return nil
	case flag.Tag.Has(tagSecret):
		return []string{name, name + "_FILE"}
	default:
		return []string{name}
	}
}

// resolve finds the value of a flag that is not on the command line. It returns no errors but
// keeps them: Wrong has them all.
func (s *Settings) resolve(c *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	s.load(c)
	if s.names[flag] == "" {
		return nil, nil
	}
	text, origin, err := s.find(s.names[flag], s.keyOf(flag), flag.Tag.Has(tagSecret))
	if err == nil && text != "" {
		err = s.decodes(flag, text, origin)
	}
	switch {
	case err != nil:
		s.wrong = append(s.wrong, err)
	case text != "":
		s.origins[flag.Name] = origin
		return text, nil
	}
	return nil, nil
}

// keyOf is what a configuration file calls a flag; empty where it does not give it.
func (s *Settings) keyOf(flag *kong.Flag) string {
	if s.known[flag.Name] == nil || flag.Tag.Get(tagFile) == "-" {
		return ""
	}
	return flag.Name
}

// decodes tries a value. Its error shows it unless it is a secret.
func (s *Settings) decodes(flag *kong.Flag, text, origin string) error {
	scan := kong.Scan().PushTyped(text, kong.FlagValueToken)
	scratch := reflect.New(flag.Target.Type()).Elem()
	err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, scratch)
	if err == nil {
		return nil
	}
	if wanted := wantedOf(scratch); wanted != "" {
		err = fmt.Errorf("%q is %s", text, wanted)
	}
	if flag.Tag.Has(tagSecret) {
		err = errors.New("the value makes no sense")
	}
	return fmt.Errorf("%s: --%s: %w", origin, flag.Name, err)
}

// find returns a value and where it was found: by a variable, by that which names a file, by a
// key of the configuration file, by that which names another file. Nothing empty is a value.
func (s *Settings) find(variable, key string, secret bool) (text, origin string, err error) {
	text, origin, err = pick(s.variable, variable, "_FILE", secret)
	if text == "" && err == nil && key != "" {
		text, origin, err = pick(s.entry, key, "-file", secret)
	}
	return text, origin, err
}

func (s *Settings) variable(name string) (text, origin string) {
	text, _ = s.lookup(name)
	return text, name
}

func (s *Settings) entry(key string) (text, origin string) {
	e := s.file.entries[key]
	return e.text, e.origin
}

// pick reads a value by its name, or the content of the file that name and ending name.
func pick(read func(string) (string, string), name, ending string, secret bool) (text, origin string, err error) {
	text, origin = read(name)
	if !secret {
		return text, origin, nil
	}
	path, pathOrigin := read(name + ending)
	switch {
	case path == "":
		return text, origin, nil
	case text != "":
		return "", "", fmt.Errorf("%s: only one of %s and %s%s can be set", pathOrigin, name, name, ending)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", pathOrigin, err)
	}
	if text = strings.TrimSpace(string(content)); text == "" {
		return "", "", fmt.Errorf("%s: %s is empty", pathOrigin, path)
	}
	return text, pathOrigin, nil
}

// load reads the configuration file, once: that of the command line or of the environment.
func (s *Settings) load(c *kong.Context) {
	if s.loaded {
		return
	}
	s.loaded = true
	path, _ := s.lookup(s.prefix + strings.ToUpper(configFlag))
	for _, p := range c.Path {
		if p.Flag != nil && p.Flag.Name == configFlag {
			path = fmt.Sprint(c.FlagValue(p.Flag))
		}
	}
	if path == "" {
		return
	}
	s.file, s.wrong = readFile(kong.ExpandPath(path))
	for _, key := range s.file.keys {
		if !s.has(key) {
			s.wrong = append(s.wrong, fmt.Errorf("%s: there is no setting %q%s", s.file.entries[key].origin, key, s.suggest(key)))
		}
	}
}

// has reports whether a configuration file may have a key.
func (s *Settings) has(key string) bool {
	if strings.HasPrefix(key, platformsKey+".") {
		return s.hasPlatform(key)
	}
	if s.known[key] != nil {
		return true
	}
	flag := s.known[strings.TrimSuffix(key, "-file")]
	return flag != nil && flag.Tag.Has(tagSecret)
}

// Wrong is all that is wrong with the file and the environment, secrets on the command line
// and what the parser says.
func (s *Settings) Wrong(c *kong.Context, parsing error) []error {
	wrong := slices.Clone(s.wrong)
	for i := range wrong {
		wrong[i] = s.plain(c, wrong[i])
	}
	if c != nil {
		for _, flag := range s.typed(c) {
			if flag.Tag.Get(tagSecret) == onlyElsewhere {
				wrong = append(wrong, fmt.Errorf("--%s: other users of the machine can read command lines: give it by %s", flag.Name, s.elsewhere(flag)))
			}
		}
	}
	for _, err := range flatten(parsing) {
		wrong = append(wrong, s.locate(s.plain(c, err)))
	}
	return wrong
}

var (
	mention  = regexp.MustCompile(`--[a-z][a-z0-9-]*`)
	variable = regexp.MustCompile(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
)

// locate adds to an error about a value where that comes from.
func (s *Settings) locate(err error) error {
	origin := s.origins[strings.TrimPrefix(mention.FindString(err.Error()), "--")]
	if origin == "" {
		_, origin = s.lookupPlatform(variable.FindString(err.Error()))
	}
	if origin == "" || strings.HasPrefix(err.Error(), origin) {
		return err
	}
	return fmt.Errorf("%s: %w", origin, err)
}

// flatten is the errors that are joined in one.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		var all []error
		for _, inner := range joined.Unwrap() {
			all = append(all, flatten(inner)...)
		}
		return all
	}
	return []error{err}
}
