package access

import (
	"errors"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

var (
	// ErrNoRow means that the store has no such row.
	ErrNoRow = errors.New("no such row")
	// ErrEmailTaken means that another user has the e-mail address.
	ErrEmailTaken = errors.New("e-mail is taken")
)

// IsID reports whether a string can be an id. Do not pass other strings to the store,
// because a database may return an error instead of no rows.
func IsID(id string) bool { return uuid.Validate(id) == nil }

// NotFound returns NOT_FOUND.
func NotFound(what string) error {
	return apperr.New(apperr.NotFound, "no such "+what)
}

// WrapLookup turns ErrNoRow into NOT_FOUND.
func WrapLookup(err error, what string) error { return ReplaceNoRow(err, NotFound(what)) }

// ReplaceNoRow returns missing if err means that there is no such row.
func ReplaceNoRow(err, missing error) error {
	if errors.Is(err, ErrNoRow) {
		return missing
	}
	return WrapStore(err)
}

// WrapStore converts an error of the store to STORE_UNAVAILABLE. It returns
// an *apperr.Error unchanged.
func WrapStore(err error) error {
	var refusal *apperr.Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return apperr.New(apperr.StoreUnavailable, "the account store is unavailable").WithCause(err)
}
