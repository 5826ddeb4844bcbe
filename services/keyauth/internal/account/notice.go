package account

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

// auditedQueue changes the queue of notices and records the changes.
type auditedQueue interface {
	notice.Queue
	access.EventWriter
}

// DeliverNotices sends notices to webhooks until ctx ends. Several instances may run
// it at the same time. A notice may be delivered more than once. Receivers recognize
// a repeated notice by its id.
func (s *Service) DeliverNotices(ctx context.Context) {
	if s.webhook != nil {
		notice.Deliver(ctx, noticeStore{s.store, s}, s.log)
	}
}

// noticeStore gives the delivery access to the queue and to the webhooks.
type noticeStore struct {
	notice.Reader
	s *Service
}

func (d noticeStore) Write(ctx context.Context, f func(tx notice.Tx) error) error {
	err := d.s.store.Write(ctx, func(tx Tx) error { return f(noticeTx{tx}) })
	if errors.Is(err, access.ErrNoRow) {
		return notice.ErrTaken
	}
	return err
}

func (d noticeStore) Send(ctx context.Context, n notice.Notice) (failure, err error) {
	a, err := d.s.store.Account(ctx, n.AccountID)
	if err != nil {
		return nil, err
	}
	if a.WebhookURL != "" {
		_, failure = d.s.sendNotice(ctx, a, n)
	}
	return failure, nil
}

type noticeTx struct{ auditedQueue }

func (t noticeTx) RecordDropped(ctx context.Context, n notice.Notice, reason string) error {
	return recordDroppedNotice(ctx, t, n, reason)
}

func recordDroppedNotice(ctx context.Context, tx access.EventWriter, n notice.Notice, reason string) error {
	return access.RecordEvent(ctx, tx, access.Actor{AccountID: n.AccountID}, "webhook.give_up", n.ID, nil, audit.Fields{"tries": n.Tries, "error": reason})
}
