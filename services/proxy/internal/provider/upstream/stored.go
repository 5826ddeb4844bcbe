package upstream

import (
	"context"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// Issued reports whether a call with one of the client's credentials stored the object and the
// account got the claim for it.
func (c *Client) Issued(account string, claim *storedid.Claim) bool {
	return slices.ContainsFunc(c.headersByKey, func(k keyHeaders) bool { return k.signer.Accepts(account, claim) })
}

// callPinned makes the call with the key of r.Pin. It never uses another one: the upstream would
// not find the object, or would find the object of another organization. Its errors do not ask for
// another key.
func (c *Client) callPinned(ctx context.Context, r Request) (Response, error) {
	key := slices.IndexFunc(c.headersByKey, func(k keyHeaders) bool { return k.signer.HasFingerprint(r.Pin) })
	if key < 0 {
		return Response{}, provider.ObjectNotFound("its credential is no longer configured")
	}
	// All other keys count as tried, so the error is no request for another key either.
	r.TriedKeys = keypool.AllExcept(key)
	selection, ok := c.keys.SelectKey(r.Model, r.TriedKeys)
	if !ok {
		return Response{}, c.noKeyError(r.Model, r.TriedKeys, "the key with which the object was stored, and no other key can be used")
	}
	return c.callSelected(ctx, r, selection)
}
