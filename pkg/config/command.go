package config

import (
	"fmt"
	"slices"
	"strings"
)

// FlagsOnly sets whether settings that are registered after this call are flags without an
// environment variable. Use it for the options of a single command.
func (s *Set) FlagsOnly(on bool) { s.flagsOnly = on }

// Func registers a setting. Load calls parse with its value if the setting is set.
func (s *Set) Func(name, usage string, parse func(string) error) {
	s.add(&setting{name: name, usage: usage, parse: parse})
}

// Argument registers a required positional argument. Values are assigned to the arguments in
// the order of registration.
func (s *Set) Argument(p *string, name, usage string) {
	s.arguments = append(s.arguments, &setting{name: name, usage: usage, flagOnly: true, parse: func(v string) error {
		*p = v
		return nil
	}})
}

// Optional registers a positional argument that may be omitted. It must be registered last.
func (s *Set) Optional(p *string, name, usage string) {
	s.Argument(p, name, usage)
	s.arguments[len(s.arguments)-1].optional = true
}

// DidYouMean returns a suffix for a message about an unknown name. The suffix suggests the most
// similar known name. It is empty if no known name is similar.
func DidYouMean(name string, known []string) string { return didYouMean("", name, known) }

func (s *Set) readArguments(given []string) []error {
	var errs []error
	for i, a := range s.arguments {
		if i >= len(given) && a.optional {
			continue
		}
		if i >= len(given) {
			errs = append(errs, fmt.Errorf("argument %s is missing: %s", a.name, a.usage))
			continue
		}
		errs = append(errs, a.parse(given[i]))
	}
	for _, more := range given[min(len(given), len(s.arguments)):] {
		errs = append(errs, fmt.Errorf("%q: unexpected argument", more))
	}
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

func (s *Set) argumentUsage() string {
	var b strings.Builder
	for _, a := range s.arguments {
		fmt.Fprintf(&b, "  %-24s %s\n", a.name, a.usage)
	}
	return b.String()
}
