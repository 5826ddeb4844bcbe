package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
)

// forwardedHeaders lists, by protocol, the client's headers that an upstream of the same
// protocol receives. Their values are forwarded unchanged: vendors often add values, and a
// list of known ones would break new clients.
var forwardedHeaders = map[requestbody.Protocol][]string{
	requestbody.Messages: {"Anthropic-Version", "Anthropic-Beta"},
}

// featureHeaders lists, by protocol, the header that requests features. Translated requests
// have no place for it, so their records and responses name it.
var featureHeaders = map[requestbody.Protocol]string{requestbody.Messages: "Anthropic-Beta"}

func requestedFeatures(p requestbody.Protocol, h http.Header) []string {
	name := featureHeaders[p]
	if len(h[name]) == 0 {
		return nil
	}
	return []string{strings.ToLower(name)}
}

// unpricedFeatures returns the features of that header whose price is not known.
func unpricedFeatures(p requestbody.Protocol, h http.Header) []string {
	if p != requestbody.Messages {
		return nil
	}
	return messages.UnpricedBetas(h[featureHeaders[p]])
}

func forwardedHeader(p requestbody.Protocol, h http.Header) map[string][]string {
	var forwarded map[string][]string
	for _, name := range forwardedHeaders[p] {
		if v := h[name]; len(v) > 0 {
			if forwarded == nil {
				forwarded = map[string][]string{}
			}
			forwarded[name] = v
		}
	}
	return forwarded
}

// forwardedQuery returns the part of the query that an upstream of the same protocol
// receives. Any other part may contain a key.
func forwardedQuery(p requestbody.Protocol, u *url.URL) string {
	if p == requestbody.Messages && u.RawQuery != "" && u.Query().Get("beta") == "true" {
		return "beta=true"
	}
	return ""
}
