// Package config reads settings from flags and environment variables. The name of a setting
// determines both: the setting "listen" is the flag --listen and the variable
// SIGNALBOX_LISTEN. A flag overrides the variable, and the variable overrides the default. Load
// reports all problems at once. The package reads no files and does not depend on any service.
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

// Prefix is the prefix of every environment variable.
const Prefix = "SIGNALBOX_"

// ErrHelp means that the user requested help. Load returns a *Help, which matches ErrHelp.
var ErrHelp = errors.New("help requested")

// Help is the error that Load returns if the user requested help. It contains the usage text
// and the settings that the text describes.
type Help struct {
	Usage    string
	Settings []Setting
}

// Setting describes a setting, for the generated documentation.
type Setting struct {
	Name, Default, Usage string
	// Env is the environment variable. It is empty if the setting is only a flag.
	Env string
}

// Error returns the text of ErrHelp. Programs print Usage instead.
func (*Help) Error() string { return ErrHelp.Error() }

// Is reports whether target is ErrHelp.
func (*Help) Is(target error) bool { return target == ErrHelp }

// Set holds the settings of a program. Register each setting, then call Load.
type Set struct {
	settings  []*setting
	byName    map[string]*setting
	arguments []*setting
	flagsOnly bool
}

type setting struct {
	name        string
	usage       string
	defaultText string // the default value as a string
	isBool      bool
	secret      bool
	// flagOnly means that the setting has no environment variable.
	flagOnly bool
	// optional means that a positional argument may be omitted.
	optional bool
	parse    func(string) error
}

// New returns an empty set.
func New() *Set { return &Set{byName: map[string]*setting{}} }

// String registers a string setting.
func (s *Set) String(p *string, name, def, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, defaultText: def, parse: func(v string) error {
		*p = v
		return nil
	}})
}

// Secret registers a string setting whose value is never printed.
func (s *Set) Secret(p *Secret, name, usage string) {
	s.add(&setting{name: name, usage: usage, secret: true, parse: func(v string) error {
		*p = Secret(v)
		return nil
	}})
}

// Bool registers a boolean setting.
func (s *Set) Bool(p *bool, name string, def bool, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, defaultText: strconv.FormatBool(def), isBool: true, parse: func(v string) (err error) {
		*p, err = strconv.ParseBool(v)
		return expectedError(err, "true or false")
	}})
}

// Int registers an integer setting whose value must be from lowest to highest.
func (s *Set) Int(p *int64, name string, def, lowest, highest int64, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, defaultText: strconv.FormatInt(def, 10), parse: func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < lowest || n > highest {
			return fmt.Errorf("must be a whole number from %d to %d", lowest, highest)
		}
		*p = n
		return nil
	}})
}

// Duration registers a duration setting. Its value must not be negative.
func (s *Set) Duration(p *time.Duration, name string, def time.Duration, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage, defaultText: def.String(), parse: func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return errors.New("must be a duration such as 500ms, 30s or 10m")
		}
		*p = d
		return nil
	}})
}

// OneOf registers a string setting whose value must be one of choices.
func (s *Set) OneOf(p *string, name, def string, choices []string, usage string) {
	*p = def
	s.add(&setting{name: name, usage: usage + " (" + strings.Join(choices, ", ") + ")", defaultText: def, parse: func(v string) error {
		if !slices.Contains(choices, v) {
			return fmt.Errorf("must be one of %s", strings.Join(choices, ", "))
		}
		*p = v
		return nil
	}})
}

// add registers a setting. Services in one process share settings: if two services register
// the same name, Load assigns the value to the Go variables of both.
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

// EnvName returns the environment variable of a setting.
func EnvName(name string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Load reads the settings from args and from environ. environ has the form of os.Environ. Load
// returns a *Help if args contain -h, -help, --help or help. Otherwise it returns all problems
// as one error.
func (s *Set) Load(args, environ []string) error {
	flags, errs := s.readFlags(args)
	if len(errs) == 1 && errors.Is(errs[0], ErrHelp) {
		return &Help{Usage: s.Usage(), Settings: s.describe()}
	}
	env, unknown := s.readEnv(environ)
	errs = append(errs, unknown...)
	for _, st := range s.settings {
		if v, ok := flags[st.name]; ok {
			errs = append(errs, st.apply("--"+st.name, v))
		} else if v, ok := env[st.name]; ok {
			errs = append(errs, st.apply(EnvName(st.name), v))
		}
	}
	return errors.Join(errs...)
}

func (st *setting) apply(as, value string) error {
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
		case !strings.HasPrefix(arg, "-") || arg == "-": // "-" means standard input
			bare = append(bare, arg)
			continue
		case !ok:
			errs = append(errs, fmt.Errorf("--%s: unknown flag%s", name, didYouMean("--", name, s.flagNames())))
			if !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++ // skip the likely value of the flag, because it may be a secret
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

// readEnv finds the settings in the environment. An empty variable counts as unset. An unknown
// variable is an error only if its name resembles a known one. Other unknown variables may belong
// to other services. Kubernetes also adds variables for its services, which may have our prefix.
func (s *Set) readEnv(environ []string) (map[string]string, []error) {
	byEnv := map[string]string{}
	for _, st := range s.settings {
		if !st.flagOnly {
			byEnv[EnvName(st.name)] = st.name
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

func (s *Set) flagNames() []string { return slices.Sorted(maps.Keys(s.byName)) }

// Usage lists all arguments, and all settings with their usage, default and variable.
func (s *Set) Usage() string {
	var b strings.Builder
	b.WriteString(s.argumentUsage())
	for _, st := range s.settings {
		fmt.Fprintf(&b, "  --%-22s %s", st.name, st.usage)
		if st.defaultText != "" && (!st.flagOnly || !st.isBool) {
			fmt.Fprintf(&b, " [%s]", st.defaultText)
		}
		b.WriteString("\n")
		if !st.flagOnly {
			fmt.Fprintf(&b, "  %-24s %s\n", "", EnvName(st.name))
		}
	}
	return b.String()
}

func (s *Set) describe() []Setting {
	var all []Setting
	for _, st := range s.settings {
		d := Setting{Name: st.name, Default: st.defaultText, Usage: st.usage}
		if !st.flagOnly {
			d.Env = EnvName(st.name)
		}
		all = append(all, d)
	}
	return all
}

func expectedError(err error, what string) error {
	if err == nil {
		return nil
	}
	return errors.New("must be " + what)
}
