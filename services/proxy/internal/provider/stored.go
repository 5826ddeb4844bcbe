package provider

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

// ObjectStore reads and deletes the objects that the upstream stores, such as responses. Not every
// provider implements it.
type ObjectStore interface {
	// Issued reports whether the provider stored an object for the account and the claim is its
	// id.
	Issued(account string, claim *storedid.Claim) bool
	// CallStored makes a call about one object. It has the same errors as CompleteChat.
	CallStored(ctx context.Context, call StoredCall) (*Response, error)
}

// StoredCall is a call about one stored object.
type StoredCall struct {
	Method string
	// Object is the object. The caller has checked it with Issued.
	Object storedid.Claim
	// Action is the part of the path after the id, such as "input_items", or empty.
	Action string
	// Query is the encoded query.
	Query string
}

// ObjectNotFound is the error for an object that the provider cannot return.
func ObjectNotFound(why string) *apperr.Error {
	return apperr.New(apperr.ObjectNotFound, "the stored object was not found: "+why)
}
