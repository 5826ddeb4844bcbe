package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strings"
	"sync"
	"unicode/utf8"
)

// tokenBytes is the size of every token. Real tokenizers differ, but tests can predict this one.
const tokenBytes = 4

// Tokens returns the number of tokens that the emulated vendors count for a text.
func Tokens(text string) int64 { return int64(len(text)+tokenBytes-1) / tokenBytes }

// truncateTokens returns the start of a text, at most n tokens long. It never splits a character.
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

// MakeSignature returns a signature of its arguments. Clients must send signatures back unchanged.
func MakeSignature(what ...string) string {
	h := hmac.New(sha256.New, []byte("emulate"))
	_, _ = h.Write([]byte(strings.Join(what, "\x00")))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

const (
	// minCachedTokens is the shortest prefix of a prompt that vendors cache. The length of longer
	// prefixes grows in steps of cacheStep.
	minCachedTokens = 1024
	cacheStep       = 128
	// maxPrefixes limits how many prefixes are remembered. Beyond this limit, all prefixes are
	// forgotten.
	maxPrefixes = 1 << 16
)

// prefixCache remembers the prefixes of prompts. It is safe for concurrent use.
type prefixCache struct {
	mu   sync.Mutex
	seen map[string]bool
}

// splitUsage returns how many tokens of a prompt are read from the cache, written to it, or neither. If
// the caller has set cache breakpoints, these determine the prefixes. Otherwise the vendor caches
// automatically, and writing to the cache is free.
func (c *prefixCache) splitUsage(scope string, p *Prompt) Usage {
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
	u.Input = p.CountTokens() - u.CacheRead - u.CacheWrite
	return u
}

func (c *prefixCache) splitAtMarks(scope string, p *Prompt) Usage {
	script, done, u := p.script.String(), int64(0), Usage{}
	for _, m := range p.marks {
		tokens, name := Tokens(script[:m.offset]), MakeSignature(scope, script[:m.offset])
		switch {
		case tokens < minCachedTokens || tokens <= done:
			continue
		case c.seen[name]:
			u = Usage{CacheRead: tokens}
		case m.oneHour:
			u.CacheWrite1h += tokens - done
			u.CacheWrite += tokens - done
		default:
			u.CacheWrite += tokens - done
		}
		c.seen[name], done = true, tokens
	}
	return u
}

// longestKnownPrefix returns the length of the longest prefix that was seen before. It remembers all
// prefixes of this script.
func (c *prefixCache) longestKnownPrefix(scope, script string) (tokens int64) {
	h := hmac.New(sha256.New, []byte(scope))
	for n := int64(minCachedTokens); n*tokenBytes <= int64(len(script)); n += cacheStep {
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
	if n == minCachedTokens {
		from = 0
	}
	_, _ = h.Write([]byte(script[from*tokenBytes : n*tokenBytes]))
	return string(h.Sum(nil))
}
