package openaicompat

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
)

// modelMark stands in a path for the upstream's name of the model.
const modelMark = "{model}"

// address is where one kind of call goes.
type address struct {
	// to is nil where the path has the model's name, with before and after
	// around it.
	to            *egress.Address
	url           *url.URL
	before, after string
}

func newAddress(base *url.URL, path, usual string, query map[string]string) address {
	u := *base
	var a address
	var byModel bool
	a.before, a.after, byModel = strings.Cut(strings.TrimSuffix(base.Path, "/")+cmp.Or(path, usual), modelMark)
	u.Path, u.RawPath = a.before, ""
	values := url.Values{}
	for name, v := range query {
		values.Set(name, v)
	}
	u.RawQuery = values.Encode()
	a.url = &u
	if !byModel {
		a.to = egress.NewAddress(&u)
	}
	return a
}

// of is the address for a model.
func (a *address) of(model string) *egress.Address {
	if a.to != nil {
		return a.to
	}
	u := *a.url
	u.Path = a.before + model + a.after
	u.RawPath = escaped(a.before) + url.PathEscape(model) + escaped(a.after)
	return egress.NewAddress(&u)
}

func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// authorize puts a key where the upstream wants it; nil is the usual place.
func authorize(how catalog.WireHTTP) func(h http.Header, key string) {
	if how.AuthHeader == "" {
		return nil
	}
	return func(h http.Header, key string) { h.Set(how.AuthHeader, how.AuthPrefix+key) }
}
