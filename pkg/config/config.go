// Package config turns flags and environment variables into settings. Every
// setting has one name: the flag --listen is the variable SIGNALBOX_LISTEN.
// A flag beats the variable, the variable beats the default. All problems are
// reported at once, each with the name to look for. It reads no files and
// knows no service.
package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Prefix begins the name of every variable.
const Prefix = "SIGNALBOX_"

// ErrHelp is what Load returns when help was asked for; it is a *Help.
var ErrHelp = errors.New("help requested")

// Help is ErrHelp with the text to print.
type Help struct{ Usage string }

// Error says what was asked for; whoever prints a Help prints its Usage.
func (*Help) Error() string { return ErrHelp.Error() }

// Is makes a Help an ErrHelp.
func (*Help) Is(target error) bool { return target == ErrHelp }

// Set is a program's settings: register each one, then Load.
type Set struct {
	settings  []*setting
	byName    map[string]*setting
	arguments []*setting
	flagsOnly bool
}

type setting struct {
	name   string
	usage  string
	given  string // the default, as text
	isBool bool
	secret bool
	// flagOnly is whether there is no variable of it.
	flagOnly bool
	// optional is an argument that may be missing.
	optional bool
	parse    func(string) error
}

// New makes an empty set.
func New() *Set { return &Set{byName: map[string]*setting{}} }

// String registers a text setting.
func (s *Set) String(p *string, name, def, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, given: def, parse: func(v string) error {
		*p = v
		return nil
	}})
}

// Secret registers a text setting whose value is never printed.
func (s *Set) Secret(p *Secret, name, usage string) {
	s.add(&setting{name: name, usage: usage, secret: true, parse: func(v string) error {
		*p = Secret(v)
		return nil
	}})
}

// Bool registers a switch.
func (s *Set) Bool(p *bool, name string, def bool, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, given: strconv.FormatBool(def), isBool: true, parse: func(v string) (err error) {
		*p, err = strconv.ParseBool(v)
		return wanted(err, "true or false")
	}})
}

// Int registers a whole number within [least, most].
func (s *Set) Int(p *int64, name string, def, least, most int64, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, given: strconv.FormatInt(def, 10), parse: func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d", least, most)
		}
		*p = n
		return nil
	}})
}

// Duration registers a length of time that is not negative.
func (s *Set) Duration(p *time.Duration, name string, def time.Duration, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, given: def.String(), parse: func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return errors.New("want a length of time such as 500ms, 30s or 10m")
		}
		*p = d
		return nil
	}})
}

// OneOf registers a choice.
func (s *Set) OneOf(p *string, name, def string, choices []string, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage + " (" + strings.Join(choices, ", ") + ")", given: def, parse: func(v string) error {
		if !slices.Contains(choices, v) {
			return fmt.Errorf("want one of %s", strings.Join(choices, ", "))
		}
		*p = v
		return nil
	}})
}

// add registers a setting. Services that share a process share its settings,
// so registering a name again feeds both variables from one value.
func (s *Set) add(n *setting) {
	if old, ok := s.byName[n.name]; ok {
		first, second := old.parse, n.parse
		old.parse = func(v string) error { return errors.Join(first(v), second(v)) }
		return
	}
	n.flagOnly = s.flagsOnly
	s.byName[n.name] = n
	s.settings = append(s.settings, n)
}

// Env is the variable's name of a setting.
func Env(name string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Load reads args and then the environment (in the form of os.Environ). It
// returns a *Help for -h, --help and help, else all problems joined.
func (s *Set) Load(args, environ []string) error {
	flags, errs := s.readFlags(args)
	if len(errs) == 1 && errors.Is(errs[0], ErrHelp) {
		return &Help{Usage: s.Usage()}
	}
	env, unknown := s.readEnv(environ)
	errs = append(errs, unknown...)
	for _, st := range s.settings {
		if v, ok := flags[st.name]; ok {
			errs = append(errs, st.set("--"+st.name, v))
		} else if v, ok := env[st.name]; ok {
			errs = append(errs, st.set(Env(st.name), v))
		}
	}
	return errors.Join(errs...)
}

func (st *setting) set(as, value string) error {
	err := st.parse(value)
	if err == nil {
		return nil
	}
	if st.secret {
		return fmt.Errorf("%s: %w", as, err)
	}
	return fmt.Errorf("%s=%q: %w", as, value, err)
}

func (s *Set) readFlags(args []string) (map[string]string, []error) {
	values := map[string]string{}
	var errs []error
	var bare []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-h" || arg == "-help" || arg == "--help" || arg == "help" {
			return nil, []error{ErrHelp}
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		st, ok := s.byName[name]
		switch {
		case !strings.HasPrefix(arg, "-") || arg == "-": // alone it is what comes in
			bare = append(bare, arg)
			continue
		case !ok:
			errs = append(errs, fmt.Errorf("--%s: unknown flag%s", name, didYouMean("--", name, s.names())))
			if !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++ // most likely its value, perhaps a secret: neither a second problem nor shown
			}
			continue
		case hasValue:
		case st.isBool:
			value = "true"
		case i+1 < len(args):
			i++
			value = args[i]
		default:
			errs = append(errs, fmt.Errorf("--%s: needs a value", name))
			continue
		}
		values[name] = value
	}
	return values, append(errs, s.readArguments(bare)...)
}

// readEnv finds the settings. An empty variable is one that is not set. An
// unknown one is a mistake only if it is nearly a known one: others belong to
// our other services, or to a cluster that names its own after ours.
func (s *Set) readEnv(environ []string) (map[string]string, []error) {
	byEnv := map[string]string{}
	for _, st := range s.settings {
		if !st.flagOnly {
			byEnv[Env(st.name)] = st.name
		}
	}
	values := map[string]string{}
	var errs []error
	for _, kv := range environ {
		env, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(env, Prefix) {
			continue
		}
		if name, ok := byEnv[env]; ok && value != "" {
			values[name] = value
		} else if guess := didYouMean("", env, slices.Sorted(maps.Keys(byEnv))); !ok && guess != "" {
			errs = append(errs, fmt.Errorf("%s: unknown setting%s", env, guess))
		}
	}
	return values, errs
}

func (s *Set) names() []string { return slices.Sorted(maps.Keys(s.byName)) }

// Usage lists every argument, and every setting with its variable, default and
// meaning.
func (s *Set) Usage() string {
	var b strings.Builder
	b.WriteString(s.usageOfArguments())
	for _, st := range s.settings {
		fmt.Fprintf(&b, "  --%-22s %s", st.name, st.usage)
		if st.given != "" && (!st.flagOnly || !st.isBool) {
			fmt.Fprintf(&b, " [%s]", st.given)
		}
		b.WriteString("\n")
		if !st.flagOnly {
			fmt.Fprintf(&b, "  %-24s %s\n", "", Env(st.name))
		}
	}
	return b.String()
}

func wanted(err error, what string) error {
	if err == nil {
		return nil
	}
	return errors.New("want " + what)
}
