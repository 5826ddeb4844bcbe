package api

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// storedObjects names the parts of a request that refer to objects which the provider stores.
var storedObjects = []string{
	"previous_response_id", "conversation", "item_reference", "prompt", "file_id", "background", "container", "cached_content",
}

// checkStoredObjects rejects a request that refers to a stored object. All accounts share the
// credentials of a provider, so the provider would also return the objects of other accounts.
func checkStoredObjects(r *requestbody.Request) error {
	for _, name := range r.NativeOnly {
		if slices.Contains(storedObjects, name) {
			return apperr.New(apperr.UnsupportedParameter, "objects that the provider stores are not served: "+name).With("param", name)
		}
	}
	return nil
}
