package provider

import "github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"

// RepeatReason is why another call to the same provider may succeed at once.
type RepeatReason string

// The reasons for a repetition.
const (
	// StaleConnection means that a reused connection was lost after the request was written.
	// Most likely the upstream was closing it. The upstream may have executed the call.
	StaleConnection RepeatReason = "stale_connection"
	// OtherKey means that the upstream rejects or rate-limits the key of the call. Another
	// key of the provider is available.
	OtherKey RepeatReason = "other_key"
	// NoSignatures means that the upstream rejects the thought signatures in the
	// conversation. They can be omitted.
	NoSignatures RepeatReason = "no_signatures"
)

// IsInconclusive reports whether the call failed because of something that the gateway sent,
// which the next call changes. Such a failure shows nothing about the provider's health.
func (r RepeatReason) IsInconclusive() bool { return r == OtherKey || r == NoSignatures }

// RepeatError wraps the error of a call that may succeed if the same provider is called again
// at once. The adapter does not repeat the call itself. Package dispatch decides whether to do
// it: the repetition is an attempt like any other.
type RepeatError struct {
	// Err is the error of the call, an *apperr.Error.
	Err    error
	Reason RepeatReason
	// Next is how the next call must differ from this one.
	Next Repeat
}

// Error returns the text of the wrapped error.
func (e *RepeatError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *RepeatError) Unwrap() error { return e.Err }

// Repeat is how a call differs from the earlier calls of the same request to the same provider.
// The zero value is a first call.
type Repeat struct {
	// TriedKeys are the keys of the earlier calls. They are not used again.
	TriedKeys keypool.KeySet
	// OmitSignatures leaves out the thought signatures of the conversation.
	OmitSignatures bool
}

// Merge returns the differences of r and of next together.
func (r Repeat) Merge(next Repeat) Repeat {
	return Repeat{TriedKeys: r.TriedKeys | next.TriedKeys, OmitSignatures: r.OmitSignatures || next.OmitSignatures}
}
