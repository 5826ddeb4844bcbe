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

// kindSandbox is the kind of the built-in sandbox, which has no address.
const kindSandbox = "sandbox"

const (
	// maxKeys and maxWeight are far higher than any real policy needs.
	maxKeys   = 64
	maxWeight = 1000
)

// defaultTimeouts returns the timeouts that apply if a provider does not set its own.
func defaultTimeouts() Timeouts {
	return Timeouts{Connect: 3 * time.Second, FirstToken: 30 * time.Second, Idle: 60 * time.Second, Total: 10 * time.Minute}
}

func (c *compiler) readProvider(v value) {
	c.checkName(v, "._-")
	p := Provider{Name: v.name, Timeouts: defaultTimeouts()}
	f := c.readFields(v, "kind", "base_url", "keys", "timeouts", "allow_private", "http2", "proxy", "tags", "limits", "wire", "cache")
	known, _ := c.catalog.Provider(v.name)
	p.Kind = known.Kind
	if k, ok := f["kind"]; ok {
		p.Kind = c.readOneOf(k, CodeUnknownKind, c.providerKinds())
	} else if p.Kind == "" {
		c.reportProblem(v, CodeMissingField, `provider %q is not in the catalog: add its "kind"`, v.name)
	}
	if p.Kind != known.Kind {
		known = catalog.Provider{}
	}
	setField(f, "allow_private", &p.AllowPrivate, c.readBool)
	p.BaseURL = c.readBaseURL(v, f, p, known.BaseURL)
	p.Proxy = c.readProxy(f, p)
	p.HTTP2 = c.readHTTP2(f, p)
	written := c.readWire(f["wire"], true)
	c.checkAPI(f["wire"], written, p.Kind)
	p.Wire = known.Wire.Merge(written)
	if c.wiresByProvider == nil {
		c.wiresByProvider = map[string]wirePair{}
	}
	c.wiresByProvider[p.Name] = wirePair{known.Wire, written}
	p.Cache = c.readCache(f["cache"], known.Cache)
	p.Keys = c.readKeys(f, p, known)
	c.readTimeouts(f["timeouts"], &p.Timeouts)
	if t, ok := f["tags"]; ok {
		p.Tags, _ = c.readStrings(t)
		slices.Sort(p.Tags)
	}
	p.Limits = c.readLimits(f["limits"])
	c.policy.Providers = append(c.policy.Providers, p)
}

// providerKinds returns the kinds of providers in the catalog. Each kind has its own
// wire format.
func (c *compiler) providerKinds() []string {
	var kinds []string
	for _, p := range c.catalog.Providers() {
		if !slices.Contains(kinds, p.Kind) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

func (c *compiler) readBaseURL(v value, f map[string]value, p Provider, known string) string {
	b, written := f["base_url"]
	switch {
	case p.Kind == kindSandbox && written:
		c.reportProblem(b, CodeWrongKind, `a sandbox provider has no address: remove "base_url"`)
	case written:
		return c.readURL(b, p.AllowPrivate)
	case known == "" && p.Kind != "" && p.Kind != kindSandbox:
		c.reportProblem(v, CodeMissingField, `the catalog has no address for %q: add "base_url"`, v.name)
	case known != "" && !p.AllowPrivate && isPrivateURL(known):
		c.reportProblem(v, CodePrivateAddress, privateAddressMessage)
	}
	return known
}

func (c *compiler) readURL(v value, allowPrivate bool) string {
	text, ok := c.readString(v)
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		// The message omits the URL, because the URL may contain a password.
		c.reportProblem(v, CodeBadURL, "must be an http or https URL without user, query or fragment")
		return ""
	}
	if !allowPrivate && isPrivateHost(u.Hostname()) {
		c.reportProblem(v, CodePrivateAddress, privateAddressMessage)
	}
	return strings.TrimRight(text, "/")
}

// readHTTP2 returns whether to offer HTTP/2. The default is true for https addresses.
// Other addresses cannot use HTTP/2, because it is negotiated in the TLS handshake. Calls
// through a proxy use HTTP/1.1.
func (c *compiler) readHTTP2(f map[string]value, p Provider) bool {
	secure := strings.HasPrefix(p.BaseURL, "https:")
	v, written := f["http2"]
	if !written {
		return secure && p.Proxy == ""
	}
	on := c.readBool(v)
	if on && p.Proxy != "" {
		c.reportProblem(v, CodeBadValue, `calls through a proxy use HTTP/1.1: remove "http2" or "proxy"`)
		return false
	}
	if on && !secure && p.BaseURL != "" {
		c.reportProblem(v, CodeBadValue, `HTTP/2 requires an https address: remove "http2" or change "base_url"`)
	}
	return on && secure
}

const privateAddressMessage = `this is a local or private address: add "allow_private: true" to allow it`

func isPrivateURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && isPrivateHost(u.Hostname())
}

// isPrivateHost checks only the host as written in the document. If a name resolves to a
// private address, the proxy refuses the connection.
func isPrivateHost(host string) bool {
	if h := strings.ToLower(strings.TrimSuffix(host, ".")); h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified()
}

// readKeys reads the references to credentials. By default, the provider uses the
// environment variable in the catalog. This default applies only to the catalog's
// address, so that a credential is never sent to another server.
func (c *compiler) readKeys(f map[string]value, p Provider, known catalog.Provider) []CredentialRef {
	v, written := f["keys"]
	if !written {
		if known.CredentialEnv == "" || p.BaseURL != known.BaseURL {
			return nil
		}
		return []CredentialRef{{Ref: "env:" + known.CredentialEnv}}
	}
	var keys []CredentialRef
	for _, item := range c.readItems(v) {
		kf := c.readFields(item, "ref", "weight")
		ref, ok := kf["ref"]
		if !ok {
			c.reportProblem(item, CodeMissingField, `"ref" is missing: write {ref: env:NAME} or {ref: file:/path}`)
			continue
		}
		text, ok := c.readString(ref)
		if ok && !IsSecretRef(text) {
			// The message omits the value, because the value may be the secret itself.
			c.reportProblem(ref, CodeBadSecretRef, "must be env:NAME or file:/absolute/path; never write the secret itself here")
		} else if ok && !c.allowsSecret(text, p.BaseURL) {
			c.reportProblem(ref, CodeSecretNotAllowed, secretNotAllowedMessage, text)
		}
		if slices.ContainsFunc(keys, func(k CredentialRef) bool { return k.Ref == text }) {
			c.reportProblem(ref, CodeDuplicateEntry, `this reference is listed twice: use "weight" instead`)
		}
		key := CredentialRef{Ref: text}
		if w, ok := kf["weight"]; ok {
			key.Weight = int(c.readInteger(w, 1, maxWeight))
		}
		keys = append(keys, key)
	}
	if len(keys) > maxKeys {
		c.reportProblem(v, CodeTooLarge, "too many keys: a provider can have at most %d", maxKeys)
	}
	return keys
}

// IsSecretRef reports whether ref has the form of a reference to a secret: env:NAME or
// file:/absolute/path.
func IsSecretRef(ref string) bool {
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

// maxLimit is higher than any provider's limit.
const maxLimit = 1_000_000_000_000

func (c *compiler) readLimits(v value) (l Limits) {
	f := c.readFields(v, "requests", "tokens", "concurrent")
	for name, to := range map[string]*int64{"requests": &l.RequestsPerMinute, "tokens": &l.TokensPerMinute, "concurrent": &l.Concurrent} {
		if n, ok := f[name]; ok {
			*to = c.readInteger(n, 1, maxLimit)
		}
	}
	return l
}

func (c *compiler) readTimeouts(v value, t *Timeouts) {
	f := c.readFields(v, "connect", "first_token", "idle", "total")
	for name, to := range map[string]*time.Duration{
		"connect": &t.Connect, "first_token": &t.FirstToken, "idle": &t.Idle, "total": &t.Total,
	} {
		if d, ok := f[name]; ok {
			*to = c.readDuration(d)
		}
	}
}
