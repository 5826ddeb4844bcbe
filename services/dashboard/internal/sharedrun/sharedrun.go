// Package sharedrun defines a run of the playground that a user shares with the other
// users of the account. The link to it contains only its id. The API of the playground
// creates and reads shared runs, and the store keeps them for a limited time.
package sharedrun

import "time"

const (
	// Lifetime is how long a shared run is kept.
	Lifetime = 90 * 24 * time.Hour
	// MaxPerAccount is how many shared runs of an account are kept. A new one replaces the
	// oldest.
	MaxPerAccount = 500
)

// Run is a shared run.
type Run struct {
	ID        string
	AccountID string
	// Author is the e-mail address of the user who shared the run.
	Author  string
	Created time.Time
	// Content is the run as JSON, as the page sent it.
	Content string
}
