package emulate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strings"
	"sync"
	"unicode/utf8"
)

// tokenBytes is the fixed size of a token. Real tokenizers differ, but tests can predict this
// one.
const tokenBytes = 4

// Tokens returns how many tokens the emulators count for a text.
func Tokens(text string) int64 { return int64(len(text)+tokenBytes-1) / tokenBytes }

// truncateTokens returns the start of a text with at most n tokens, in whole characters.
func truncateTokens(text string, n int64) string {
	end := max(n, 0) * tokenBytes
	if end >= int64(len(text)) {
		return text
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// makeSignature returns a signature that callers must send back unchanged.
func makeSignature(what ...string) string {
	h := hmac.New(sha256.New, []byte("emulate"))
	_, _ = h.Write([]byte(strings.Join(what, "\x00")))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

const (
	// leastCached is the shortest prefix that vendors cache; cacheStep is the step by which
	// it grows.
	leastCached = 1024
	cacheStep   = 128
	// maxPrefixes bounds how many prefixes are remembered. All are forgotten when there are
	// more.
	maxPrefixes = 1 << 16
)

// prefixCache remembers starts of prompts. It is safe for concurrent use.
type prefixCache struct {
	mu   sync.Mutex
	seen map[string]bool
}

// splitUsage returns which part of a prompt is read from the cache and which is written to it: by
// the caller's breakpoints if there are any, else automatically, which costs nothing.
func (c *prefixCache) splitUsage(scope string, p *prompt) Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) > maxPrefixes {
		c.seen = map[string]bool{}
	}
	var u Usage
	if len(p.marks) > 0 {
		u = c.splitAtMarks(scope, p)
	} else {
		u.CacheRead = c.longestKnownPrefix(scope, p.script.String())
	}
	u.Input = p.countTokens() - u.CacheRead - u.CacheWrite
	return u
}

func (c *prefixCache) splitAtMarks(scope string, p *prompt) Usage {
	script, done, u := p.script.String(), int64(0), Usage{}
	for _, m := range p.marks {
		tokens, name := Tokens(script[:m.at]), makeSignature(scope, script[:m.at])
		switch {
		case tokens < leastCached || tokens <= done:
			continue
		case c.seen[name]:
			u = Usage{CacheRead: tokens}
		case m.hour:
			u.CacheWrite1h += tokens - done
			u.CacheWrite += tokens - done
		default:
			u.CacheWrite += tokens - done
		}
		c.seen[name], done = true, tokens
	}
	return u
}

// longestKnownPrefix returns the longest prefix seen before, and remembers those of this script.
func (c *prefixCache) longestKnownPrefix(scope, script string) (tokens int64) {
	h := hmac.New(sha256.New, []byte(scope))
	for n := int64(leastCached); n*tokenBytes <= int64(len(script)); n += cacheStep {
		name := extendHash(h, script, n)
		if c.seen[name] {
			tokens = n
		}
		c.seen[name] = true
	}
	return tokens
}

func extendHash(h hash.Hash, script string, n int64) string {
	from := n - cacheStep
	if n == leastCached {
		from = 0
	}
	_, _ = h.Write([]byte(script[from*tokenBytes : n*tokenBytes]))
	return string(h.Sum(nil))
}
