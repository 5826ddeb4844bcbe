package api

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// storedObjects names the parts of a Responses request that refer to objects which the provider
// stores.
var storedObjects = []string{"previous_response_id", "conversation", "item_reference", "prompt", "file_id", "background"}

// checkStoredObjects rejects a request that refers to a stored object. All accounts share the
// credentials of a provider, so the provider would also return the objects of other accounts.
func checkStoredObjects(r *requestbody.Request) error {
	if r.Protocol != requestbody.Responses {
		return nil
	}
	for _, name := range r.NativeOnly {
		if slices.Contains(storedObjects, name) {
			return apperr.New(apperr.UnsupportedParameter, "stored objects of the Responses API are not served: "+name).With("param", name)
		}
	}
	return nil
}
