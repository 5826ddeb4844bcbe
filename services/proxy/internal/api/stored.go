package api

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// foreignObjects names the parts of a request that refer to objects which a provider stores, but
// which the gateway never hands out. All accounts share the credentials of a provider, so such an
// id could belong to another account.
var foreignObjects = []string{
	"conversation", "item_reference", "prompt", "file_id", "container", "cached_content", "vector_store_ids", "skill_id",
	"file_search",
}

// checkStoredObjects rejects a request that refers to an object which the gateway never hands out,
// or that wants to create one.
func checkStoredObjects(r *requestbody.Request) error {
	for _, name := range r.NativeOnly {
		if slices.Contains(foreignObjects, name) {
			text := name + " refers to an object that does not exist in this account: only responses are stored; send the content itself"
			return apperr.New(apperr.ObjectNotFound, text).With("param", name)
		}
		if name == "background" {
			return apperr.New(apperr.UnsupportedParameter, "responses in the background are not served").With("param", name)
		}
	}
	return nil
}

// findStored returns the stored response that the request continues, or nil. It fails with
// OBJECT_NOT_FOUND if the account cannot use it.
func (e *edge) findStored(x *exchange, r *requestbody.Request) (*dispatch.StoredResponse, error) {
	if err := checkStoredObjects(r); err != nil {
		return nil, err
	}
	if r.PreviousResponseID == "" {
		return nil, nil
	}
	claim, _, err := e.openResponse(x, r.PreviousResponseID)
	if err != nil {
		return nil, apperr.From(err).With("param", "previous_response_id")
	}
	return &dispatch.StoredResponse{ID: r.PreviousResponseID, Claim: claim}, nil
}

// openResponse returns the response to which an id of the client refers, and the provider that
// stores it.
func (e *edge) openResponse(x *exchange, id string) (storedid.Claim, provider.ObjectStore, error) {
	p := e.Router.Policy()
	if p == nil {
		return storedid.Claim{}, nil, apperr.New(apperr.RoutingUnavailable, "the proxy has no policy")
	}
	claim, ok := storedid.Parse(storedid.Response, id)
	if !ok {
		return storedid.Claim{}, nil, notStoredError(id)
	}
	store, ok := e.findStore(p, claim.Provider)
	if !ok || !store.Issued(x.principal.AccountID, &claim) {
		return storedid.Claim{}, nil, notStoredError(id)
	}
	return claim, store, nil
}

func (e *edge) findStore(p *policy.Policy, name string) (provider.ObjectStore, bool) {
	adapter, ok := e.Providers(p).ChatCompleter(name)
	if !ok {
		return nil, false
	}
	store, ok := adapter.(provider.ObjectStore)
	return store, ok
}

// notStoredError is the error for an id that the account cannot use. It does not tell whether the
// object exists in another account.
func notStoredError(id string) error {
	why := "it belongs to another account, was not stored (store: false), or its provider or credential was removed"
	if isTranslatedID(id) {
		why = "it was not stored, because its provider does not speak the Responses protocol; its response had store: false"
	}
	return apperr.New(apperr.ObjectNotFound, fmt.Sprintf("response %s was not found: %s; send the whole conversation in input instead", truncate(id, maxEchoed), why))
}

// isTranslatedID reports whether the id is that of a response which was translated from another
// protocol: the prefix and the id of a request.
func isTranslatedID(id string) bool {
	const prefix = string(storedid.Response)
	return len(id) == len(prefix)+len(uuid.UUID{}.String()) && id[:len(prefix)] == prefix && uuid.Validate(id[len(prefix):]) == nil
}
