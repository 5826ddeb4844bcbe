package requestbody

import "github.com/signalbox/signalbox/pkg/decide"

// Question returns the part of the question to the router that the body determines. The proxy,
// the routing tests of a policy and "policy explain" all use it, so they route a body in the same
// way. The caller adds what the body does not contain: key, time, budget and session.
func (r *Request) Question() decide.Question {
	q := decide.Question{
		Kind: r.Kind, Model: r.Model, Needs: r.RequiredCapabilities, InputTokens: r.InputTokens,
		MaxOutputTokens: r.MaxOutputTokens, Features: r.Features, Metadata: r.Metadata, OwnEffort: r.SetsEffort(),
	}
	if r.Protocol != ChatCompletions {
		q.NativeProtocol, q.NativeOnly = r.Protocol, r.NativeOnly
	}
	return q
}
