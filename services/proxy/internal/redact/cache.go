package redact

import (
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/policy"
)

// maxCached is the number of policies that decide at the same time: the active one and the
// candidate of a rollout.
const maxCached = 2

// Cache holds the redactors of the last policies. Compiling the patterns is slow, and the
// policy rarely changes. The zero value is ready to use.
type Cache struct {
	last atomic.Pointer[[]cached]
}

type cached struct {
	version  string
	redactor *Redactor
}

// For returns the redactor of a policy, or the one without patterns of its own if p is nil.
func (c *Cache) For(p *policy.Policy) (*Redactor, error) {
	var version string
	if p != nil {
		version = p.Version()
	}
	var known []cached
	if last := c.last.Load(); last != nil {
		known = *last
	}
	for _, one := range known {
		if one.version == version {
			return one.redactor, nil
		}
	}
	redactor, err := New(patternsOf(p))
	if err != nil {
		return nil, err
	}
	kept := append([]cached{{version, redactor}}, known[:min(len(known), maxCached-1)]...)
	c.last.Store(&kept)
	return redactor, nil
}

func patternsOf(p *policy.Policy) (patterns []Pattern) {
	if p == nil {
		return nil
	}
	for _, pattern := range p.Defaults.Logging.Redact {
		patterns = append(patterns, Pattern(pattern))
	}
	return patterns
}
