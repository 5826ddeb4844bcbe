// Package savedview defines a view of the request log that a user has saved: a name for a
// filter, a range, an order and columns. Private views belong to their author, shared ones to
// the account. The API of views creates and reads them, and the store keeps them.
package savedview

import "time"

const (
	// MaxPerUser is how many views a user can save.
	MaxPerUser = 100
	// MaxShared is how many shared views an account can have.
	MaxShared = 200
)

// View is a saved view.
type View struct {
	ID        string
	AccountID string
	// AuthorID is the id of the user who saved the view, and Author the e-mail address.
	AuthorID, Author string
	Name             string
	// Query is the query string of the page, such as q=model%3Agpt*&sort=cost.
	Query string
	// Shared means that all users of the account see the view.
	Shared  bool
	Created time.Time
}
