package console

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Completion says how a shell completes crier's commands: it asks crier, with the line in COMP_LINE.
type Completion struct {
	Shell string `arg:"" optional:"" enum:"bash,zsh,fish," default:"" help:"bash, zsh or fish; every one of them if none is named."`
	Code  bool   `short:"c" env:"-" help:"Print what the shell is to read, not where to put it."`
}

// completing is what each shell reads. %s is crier's path, quoted for it. Where crier knows no answer
// the names of files are offered: bash and zsh do by themselves, fish is told to.
var completing = map[string]string{
	"bash": `complete -o default -o bashdefault -C %s crier
`,
	// complete needs compdef, which a shell without a configuration lacks.
	"zsh": `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
autoload -U +X bashcompinit && bashcompinit
complete -o default -o bashdefault -C %s crier
`,
	"fish": `function __crier_complete
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct); and set COMP_LINE "$COMP_LINE "
    set -l answers (%s)
    if set -q answers[1]
        printf '%%s\n' $answers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c crier -f -a '(__crier_complete)'
`,
}

// Run prints to standard output.
func (c *Completion) Run(t *Terminal) error {
	if !c.Code {
		return c.explain(t)
	}
	if c.Shell == "" {
		return errors.New("name the shell: bash, zsh or fish")
	}
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding crier's own path: %w", err)
	}
	path = shellQuoted(path)
	if c.Shell != "fish" { // which runs it as it stands; the others read it once more
		path = shellQuoted(path)
	}
	_, err = fmt.Fprintf(t.Out, completing[c.Shell], path)
	return err
}

// explain says where each shell is told.
func (c *Completion) explain(t *Terminal) error {
	var all []string
	for _, shell := range []struct{ name, file, line string }{
		{"bash", "~/.bashrc", "source <(crier completion -c bash)"},
		{"zsh", "~/.zshrc, below compinit if that is there", "source <(crier completion -c zsh)"},
		{"fish", "~/.config/fish/config.fish", "crier completion -c fish | source"},
	} {
		if c.Shell == "" || c.Shell == shell.name {
			all = append(all, fmt.Sprintf("%s: this line in %s:\n    %s", shell.name, shell.file, shell.line))
		}
	}
	_, err := fmt.Fprintln(t.Out, strings.Join(all, "\n"))
	return err
}

// plainPath is what no shell reads in another way.
var plainPath = regexp.MustCompile(`^[\w./-]+$`)

// shellQuoted is a word as shells read it.
func shellQuoted(word string) string {
	if plainPath.MatchString(word) {
		return word
	}
	return `'` + strings.ReplaceAll(word, `'`, `'\''`) + `'`
}
