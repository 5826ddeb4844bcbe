// Package notice delivers messages to the webhooks of accounts. A Notice waits in the
// Queue until Deliver has sent it: failed attempts are repeated for almost four
// hours, several instances share the queue, and a notice arrives at least once.
// CheckURL rejects addresses to which notices must not be sent, and Sealer encrypts
// signing secrets. The account package decides what is worth a notice; a Webhook
// makes the HTTP request.
package notice

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// maxQueued bounds the queued notices of an account.
const maxQueued = 1000

// ErrTaken means that another instance has taken the notice in the meantime.
var ErrTaken = errors.New("notice was taken by another instance")

// Notice is a message that waits for delivery to the webhook of an account.
type Notice struct {
	ID        string
	AccountID string
	// Body is JSON.
	Body string
	// Tries counts the started attempts.
	Tries int
	DueAt time.Time
}

// New returns a notice about data that is due at once.
func New(id, accountID, kind string, at time.Time, data any) (Notice, error) {
	n := Notice{ID: id, AccountID: accountID, DueAt: at}
	body, err := json.Marshal(struct {
		ID        string    `json:"id"`
		Type      string    `json:"type"`
		Time      time.Time `json:"time"`
		AccountID string    `json:"account_id"`
		Data      any       `json:"data"`
	}{n.ID, kind, n.DueAt, accountID, data})
	n.Body = string(body)
	return n, err
}

// Delivery is one attempt to deliver a notice.
type Delivery struct {
	URL string
	// ID is the id of the notice, the same in every attempt.
	ID string
	// Secret is the signing key; empty means unsigned.
	Secret string
	At     time.Time
	Body   string
}

// Webhook delivers notices. Send returns the HTTP status, or 0 if there was no
// response. It returns an error unless the receiver accepted the notice. The account's
// owner reads the error, so the error must not reveal details of the internal network.
type Webhook interface {
	Send(ctx context.Context, d Delivery) (status int, err error)
}

// Reader looks into the queue of notices.
type Reader interface {
	// NoticeDue reports whether any notice is due at the given time.
	NoticeDue(ctx context.Context, at time.Time) (bool, error)
}

// Queue is the queue of notices that wait for delivery to a webhook.
type Queue interface {
	QueueNotice(ctx context.Context, n Notice) error
	// CountNotices counts the queued notices of an account.
	CountNotices(ctx context.Context, accountID string) (int, error)
	// TakeNotices takes at most limit due notices and increments their tries. Other
	// instances skip these notices until the given time. It takes only the oldest due
	// notice of each account. Accounts with the fewest due notices come first.
	TakeNotices(ctx context.Context, at, until time.Time, limit int) ([]Notice, error)
	// DelayNotice sets a new due time. It returns an error, which Store.Write turns into
	// ErrTaken, if another instance has taken the notice in the meantime.
	DelayNotice(ctx context.Context, n Notice, until time.Time) error
	// ReturnNotice undoes TakeNotices for a notice and sets its due time. It fails like DelayNotice.
	ReturnNotice(ctx context.Context, n Notice, due time.Time) error
	// DropNotice deletes a notice. It fails like DelayNotice.
	DropNotice(ctx context.Context, n Notice) error
}

// Enqueue adds a notice to the queue. It returns false if the account has too many.
func Enqueue(ctx context.Context, q Queue, n Notice) (bool, error) {
	waiting, err := q.CountNotices(ctx, n.AccountID)
	if err != nil || waiting >= maxQueued {
		return false, err
	}
	return true, q.QueueNotice(ctx, n)
}
