package policy

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// kindSandbox is the one kind of provider that is not reached by an address.
const kindSandbox = "sandbox"

const (
	// maxKeys and maxWeight are far above what anybody needs.
	maxKeys   = 64
	maxWeight = 1000
)

// defaultTimeouts hold where a provider has none of its own.
func defaultTimeouts() Timeouts {
	return Timeouts{Connect: 3 * time.Second, FirstToken: 30 * time.Second, Idle: 60 * time.Second, Total: 10 * time.Minute}
}

func (c *compiler) provider(v value) {
	c.checkName(v, "._-")
	p := Provider{Name: v.name, Timeouts: defaultTimeouts()}
	f := c.fields(v, "kind", "base_url", "keys", "timeouts", "allow_private", "http2", "tags", "limits", "wire")
	known, _ := c.cat.Provider(v.name)
	p.Kind = known.Kind
	if k, ok := f["kind"]; ok {
		p.Kind = c.oneOf(k, CodeUnknownKind, c.kinds())
	} else if p.Kind == "" {
		c.fail(v, CodeMissingField, "the catalog does not know %q, so its kind must be written", v.name)
	}
	if p.Kind != known.Kind {
		known = catalog.Provider{}
	}
	if a, ok := f["allow_private"]; ok {
		p.AllowPrivate = c.flag(a)
	}
	p.BaseURL = c.baseURL(v, f, p, known.BaseURL)
	p.HTTP2 = c.http2(f, p)
	written := c.wire(f["wire"], true)
	p.Wire = known.Wire.Over(written)
	if c.wiresOf == nil {
		c.wiresOf = map[string]wirePair{}
	}
	c.wiresOf[p.Name] = wirePair{known.Wire, written}
	p.Keys = c.keys(f, p, known)
	c.timeouts(f["timeouts"], &p.Timeouts)
	if t, ok := f["tags"]; ok {
		p.Tags, _ = c.texts(t)
		slices.Sort(p.Tags)
	}
	p.Limits = c.limits(f["limits"])
	c.out.Providers = append(c.out.Providers, p)
}

// kinds are those of the catalog: a provider with a new wire format brings its
// kind with its entry.
func (c *compiler) kinds() []string {
	var kinds []string
	for _, p := range c.cat.Providers() {
		if !slices.Contains(kinds, p.Kind) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

func (c *compiler) baseURL(v value, f map[string]value, p Provider, known string) string {
	b, written := f["base_url"]
	switch {
	case p.Kind == kindSandbox && written:
		c.fail(b, CodeWrongKind, "a sandbox has no base_url")
	case written:
		return c.checkURL(b, p.AllowPrivate)
	case known == "" && p.Kind != "" && p.Kind != kindSandbox:
		c.fail(v, CodeMissingField, "the catalog has no address of %q, so its base_url must be written", v.name)
	case known != "" && !p.AllowPrivate && privateURL(known):
		c.fail(v, CodePrivateAddress, privateHint)
	}
	return known
}

func (c *compiler) checkURL(v value, allowPrivate bool) string {
	text, ok := c.text(v)
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		// The text is not shown: it may hold a password.
		c.fail(v, CodeBadURL, "want an http or https address without user, query or fragment")
		return ""
	}
	if !allowPrivate && private(u.Hostname()) {
		c.fail(v, CodePrivateAddress, privateHint)
	}
	return strings.TrimRight(text, "/")
}

// http2 is what is written, else whether there is TLS: without it nobody is
// there to negotiate.
func (c *compiler) http2(f map[string]value, p Provider) bool {
	secure := strings.HasPrefix(p.BaseURL, "https:")
	v, written := f["http2"]
	if !written {
		return secure
	}
	on := c.flag(v)
	if on && !secure && p.BaseURL != "" {
		c.fail(v, CodeBadValue, "HTTP/2 is spoken over https alone")
	}
	return on && secure
}

const privateHint = "this is a local or private address: write allow_private: true to mean it"

func privateURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && private(u.Hostname())
}

// private is about what can be seen in the document; a name that resolves to
// such an address is refused by whoever dials it.
func private(host string) bool {
	if h := strings.ToLower(strings.TrimSuffix(host, ".")); h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified()
}

// keys falls back to the variable that the catalog names, but never for
// another address than the catalog's: a credential must not reach strangers.
func (c *compiler) keys(f map[string]value, p Provider, known catalog.Provider) []Key {
	v, written := f["keys"]
	if !written {
		if known.Env == "" || p.BaseURL != known.BaseURL {
			return nil
		}
		return []Key{{Ref: "env:" + known.Env}}
	}
	var keys []Key
	for _, item := range c.items(v) {
		kf := c.fields(item, "ref", "weight")
		ref, ok := kf["ref"]
		if !ok {
			c.fail(item, CodeMissingField, "want {ref: env:NAME} or {ref: file:/path}")
			continue
		}
		text, ok := c.text(ref)
		if ok && !validRef(text) {
			// The text is not shown: it may be the secret itself.
			c.fail(ref, CodeBadSecretRef, "want env:NAME or file:/absolute/path; secrets themselves do not belong here")
		}
		if slices.ContainsFunc(keys, func(k Key) bool { return k.Ref == text }) {
			c.fail(ref, CodeDuplicateEntry, "this reference is listed twice: give it a weight instead")
		}
		key := Key{Ref: text}
		if w, ok := kf["weight"]; ok {
			key.Weight = int(c.integer(w, 1, maxWeight))
		}
		keys = append(keys, key)
	}
	if len(keys) > maxKeys {
		c.fail(v, CodeTooLarge, "a provider has at most %d keys", maxKeys)
	}
	return keys
}

func validRef(ref string) bool {
	kind, rest, _ := strings.Cut(ref, ":")
	switch kind {
	case "env":
		ok := rest != "" && (rest[0] < '0' || rest[0] > '9')
		for _, r := range rest {
			ok = ok && (isAlnum(r) || r == '_')
		}
		return ok
	case "file":
		return filepath.IsAbs(rest) && !strings.ContainsAny(rest, "\x00\r\n")
	}
	return false
}

// maxLimit is beyond what any provider grants.
const maxLimit = 1_000_000_000_000

func (c *compiler) limits(v value) (l Limits) {
	f := c.fields(v, "requests", "tokens", "concurrent")
	for name, to := range map[string]*int64{"requests": &l.Requests, "tokens": &l.Tokens, "concurrent": &l.Concurrent} {
		if n, ok := f[name]; ok {
			*to = c.integer(n, 1, maxLimit)
		}
	}
	return l
}

func (c *compiler) timeouts(v value, t *Timeouts) {
	f := c.fields(v, "connect", "first_token", "idle", "total")
	for name, to := range map[string]*time.Duration{
		"connect": &t.Connect, "first_token": &t.FirstToken, "idle": &t.Idle, "total": &t.Total,
	} {
		if d, ok := f[name]; ok {
			*to = c.duration(d)
		}
	}
}
