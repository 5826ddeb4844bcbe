package config

import (
	"fmt"
	"slices"
	"strings"
)

// FlagsOnly says whether what is registered next are flags without variables,
// which say what one command is to do: no environment decides that.
func (s *Set) FlagsOnly(on bool) { s.flagsOnly = on }

// Func registers a setting that parse takes in, only when it is given.
func (s *Set) Func(name, usage string, parse func(string) error) {
	s.add(&setting{name: name, usage: usage, parse: parse})
}

// Argument registers a value that comes without a flag; several come in the
// order in which they are registered. It must be given.
func (s *Set) Argument(p *string, name, usage string) {
	s.arguments = append(s.arguments, &setting{name: name, usage: usage, flagOnly: true, parse: func(v string) error {
		*p = v
		return nil
	}})
}

// Optional is Argument for the last one, where it may be missing.
func (s *Set) Optional(p *string, name, usage string) {
	s.Argument(p, name, usage)
	s.arguments[len(s.arguments)-1].optional = true
}

// DidYouMean is the tail of a message about an unknown name: the nearest known
// one, if it is near enough to be a slip of the finger, else nothing.
func DidYouMean(name string, known []string) string { return didYouMean("", name, known) }

// readArguments hands out what came without a flag.
func (s *Set) readArguments(given []string) []error {
	var errs []error
	for i, a := range s.arguments {
		if i >= len(given) && a.optional {
			continue
		}
		if i >= len(given) {
			errs = append(errs, fmt.Errorf("%s is missing: %s", a.name, a.usage))
			continue
		}
		errs = append(errs, a.parse(given[i]))
	}
	for _, more := range given[min(len(given), len(s.arguments)):] {
		errs = append(errs, fmt.Errorf("%q: unexpected argument", more))
	}
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// usageOfArguments comes before that of the flags.
func (s *Set) usageOfArguments() string {
	var b strings.Builder
	for _, a := range s.arguments {
		fmt.Fprintf(&b, "  %-24s %s\n", a.name, a.usage)
	}
	return b.String()
}
