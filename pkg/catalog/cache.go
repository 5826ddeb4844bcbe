package catalog

import (
	"cmp"
	"fmt"
	"slices"
)

// CacheMode is when a provider caches the start of a prompt.
type CacheMode string

// These are the cache modes.
const (
	// CacheAutomatic means that the provider caches every prompt of MinCachedTokens or more.
	CacheAutomatic CacheMode = "automatic"
	// CacheMarked means that the provider caches what the request marks with cache_control.
	CacheMarked CacheMode = "marked"
	// CacheNone means that the provider caches nothing, or charges cached tokens like others.
	CacheNone CacheMode = "none"
)

// CacheModes lists all modes.
func CacheModes() []CacheMode { return []CacheMode{CacheAutomatic, CacheMarked, CacheNone} }

// MinCachedTokens is the length in tokens from which on providers cache a prompt.
const MinCachedTokens = 1024

// maxCacheTTL is the longest plausible lifetime in seconds: one week.
const maxCacheTTL = 7 * 24 * 3600

// defaultCacheTTL is a lifetime that most vendors promise: five minutes.
const defaultCacheTTL = 300

// Cache describes a provider's prompt cache. A zero field means the default of the
// provider's kind.
type Cache struct {
	Mode CacheMode `json:"mode,omitempty"`
	// TTLSeconds is how long an entry lives after its last use.
	TTLSeconds int64 `json:"ttl_seconds,omitempty"`
}

// DefaultCache returns the prompt cache of a provider whose entry does not describe it.
func DefaultCache(kind string) Cache {
	switch kind {
	case "openai", "gemini":
		return Cache{CacheAutomatic, defaultCacheTTL}
	case "anthropic":
		return Cache{CacheMarked, defaultCacheTTL}
	}
	return Cache{CacheNone, defaultCacheTTL}
}

// Or returns c with the fields of other where c has none. c may be nil.
func (c *Cache) Or(other Cache) Cache {
	if c == nil {
		return other
	}
	return Cache{cmp.Or(c.Mode, other.Mode), cmp.Or(c.TTLSeconds, other.TTLSeconds)}
}

// Caches reports whether the provider caches the prompt of a request. marked tells whether
// the request marks what to cache.
func (c Cache) Caches(marked bool) bool {
	return c.Mode == CacheAutomatic || c.Mode == CacheMarked && marked
}

func (c *Cache) check() error {
	if c == nil {
		return nil
	}
	if c.Mode != "" && !slices.Contains(CacheModes(), c.Mode) || c.TTLSeconds < 0 || c.TTLSeconds > maxCacheTTL {
		return fmt.Errorf("cache: unknown mode %q or implausible lifetime of %d seconds", c.Mode, c.TTLSeconds)
	}
	return nil
}
