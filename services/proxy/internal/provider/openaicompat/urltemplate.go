package openaicompat

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
)

// modelPlaceholder is replaced by the upstream's model name in a configured path.
const modelPlaceholder = "{model}"

// urlTemplate is the URL of one kind of call.
type urlTemplate struct {
	// fixed is the address if all models have the same address. Otherwise fixed is nil,
	// and before and after are the parts of the path around the model name.
	fixed         *egress.Address
	url           *url.URL
	before, after string
}

func newURLTemplate(base *url.URL, path, defaultPath string, query map[string]string) urlTemplate {
	u := *base
	var t urlTemplate
	var byModel bool
	t.before, t.after, byModel = strings.Cut(strings.TrimSuffix(base.Path, "/")+cmp.Or(path, defaultPath), modelPlaceholder)
	u.Path, u.RawPath = t.before, ""
	values := url.Values{}
	for name, v := range query {
		values.Set(name, v)
	}
	u.RawQuery = values.Encode()
	t.url = &u
	if !byModel {
		t.fixed = egress.NewAddress(&u)
	}
	return t
}

func (t *urlTemplate) forModel(model string) *egress.Address {
	if t.fixed != nil {
		return t.fixed
	}
	u := *t.url
	u.Path = t.before + model + t.after
	u.RawPath = escapePath(t.before) + url.PathEscape(model) + escapePath(t.after)
	return egress.NewAddress(&u)
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// customAuthorizer returns a function that sets the configured authorization header.
// It returns nil if the default header is used.
func customAuthorizer(wire catalog.WireHTTP) func(h http.Header, key string) {
	if wire.AuthHeader == "" {
		return nil
	}
	return func(h http.Header, key string) { h.Set(wire.AuthHeader, wire.AuthPrefix+key) }
}
