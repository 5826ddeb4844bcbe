package openaicompat

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// modelMark stands in a path for the upstream's name of the model.
const modelMark = "{model}"

// address is where one kind of call goes.
type address struct {
	url *url.URL
	// before and after are the path around the model's name, if it has one.
	before, after string
	byModel       bool
}

func newAddress(base *url.URL, path, usual string, query map[string]string) address {
	u := *base
	var a address
	a.before, a.after, a.byModel = strings.Cut(strings.TrimSuffix(base.Path, "/")+cmp.Or(path, usual), modelMark)
	u.Path, u.RawPath = a.before, ""
	values := url.Values{}
	for name, v := range query {
		values.Set(name, v)
	}
	u.RawQuery = values.Encode()
	a.url = &u
	return a
}

// of is the address for a model. Nobody changes it.
func (a *address) of(model string) *url.URL {
	if !a.byModel {
		return a.url
	}
	u := *a.url
	u.Path = a.before + model + a.after
	u.RawPath = escaped(a.before) + url.PathEscape(model) + escaped(a.after)
	return &u
}

func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// authorize puts a key where the upstream wants it; nil is the usual place.
func authorize(how catalog.WireHTTP) func(h http.Header, key string) {
	if how.AuthHeader == "" {
		return nil
	}
	return func(h http.Header, key string) { h.Set(how.AuthHeader, how.AuthPrefix+key) }
}
