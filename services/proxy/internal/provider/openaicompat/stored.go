package openaicompat

import (
	"context"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

var _ provider.ObjectStore = (*Provider)(nil)

// storedModel takes the place of the model in the key pool, so that a rate limit on stored objects
// does not pause a key for its models.
const storedModel = "(stored objects)"

// Issued implements provider.ObjectStore.
func (p *Provider) Issued(account string, claim *storedid.Claim) bool {
	return claim.Kind == storedid.Response && p.client.Issued(account, claim)
}

// CallStored implements provider.ObjectStore.
func (p *Provider) CallStored(ctx context.Context, call provider.StoredCall) (*provider.Response, error) {
	address, ok := p.responses.forObject(call)
	if !ok {
		return nil, provider.ObjectNotFound("the responses_path of its provider depends on the model")
	}
	raw, err := p.client.Do(ctx, upstream.Request{Address: address, Model: storedModel, Pin: call.Object.Fingerprint})
	if err != nil {
		return nil, err
	}
	response := raw.ToProviderResponse()
	response.Body = raw.Body
	if raw.Stream != nil {
		_ = raw.Stream.Close()
		return nil, p.client.InvalidResponse("stream", "sent a stream instead of a stored object")
	}
	return response, nil
}

// forObject returns the address of a stored object. It returns false if the path depends on the
// model.
func (t *urlTemplate) forObject(call provider.StoredCall) (*egress.Address, bool) {
	if t.fixed == nil {
		return nil, false
	}
	u := *t.url
	path := []string{strings.TrimSuffix(t.before, "/"), call.Object.UpstreamID}
	if call.Action != "" {
		path = append(path, call.Action)
	}
	escaped := []string{escapePath(path[0])}
	for _, part := range path[1:] {
		escaped = append(escaped, url.PathEscape(part))
	}
	u.Path, u.RawPath = strings.Join(path, "/"), strings.Join(escaped, "/")
	u.RawQuery = joinQuery(u.RawQuery, call.Query)
	return egress.NewMethodAddress(call.Method, &u), true
}

func joinQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}
