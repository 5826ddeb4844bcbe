package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
)

const (
	channelColumns = `id, account_id, name, kind, address, secret, quiet_from, quiet_to, quiet_zone, last_error, last_us, updated_us`
	selectChannels = `SELECT ` + channelColumns + ` FROM alert_channels WHERE account_id = $1 ORDER BY id`
	selectChannel  = `SELECT ` + channelColumns + ` FROM alert_channels WHERE account_id = $1 AND id = $2`
	insertChannel  = `INSERT INTO alert_channels (id, account_id, name, kind, address, secret, quiet_from, quiet_to, quiet_zone, updated_us)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 WHERE (SELECT COUNT(*) FROM alert_channels WHERE account_id = $2) < $11`
	updateChannel = `UPDATE alert_channels SET name = $3, kind = $4, address = $5, secret = $6, quiet_from = $7, quiet_to = $8, quiet_zone = $9,
		updated_us = $10 WHERE id = $1 AND account_id = $2`
	deleteChannel           = `DELETE FROM alert_channels WHERE id = $1 AND account_id = $2`
	deleteChannelDeliveries = `DELETE FROM alert_deliveries WHERE channel_id = $1 AND account_id = $2`
	noteChannelResult       = `UPDATE alert_channels SET last_error = $3, last_us = $4 WHERE id = $1 AND account_id = $2`

	selectKeyCheck = `SELECT key_check FROM alert_clock WHERE id = 1`
	pinKeyCheck    = `UPDATE alert_clock SET key_check = $1 WHERE id = 1 AND key_check IS NULL`
)

// Sealer encrypts the addresses and secrets of channels. owner binds them to their row.
type Sealer interface {
	Seal(owner, secret string) []byte
	Open(owner string, sealed []byte) (string, error)
}

// AlertStore is the part of the store about alerts, with the key that encrypts the channels.
type AlertStore struct {
	*Store
	sealer Sealer
}

// WithSealer returns the part of the store about alerts.
func (s *Store) WithSealer(sealer Sealer) *AlertStore { return &AlertStore{s, sealer} }

// PinAlertKey stores a check value of the key that encrypts channels, unless there is one. It
// returns the stored one.
func (s *Store) PinAlertKey(ctx context.Context, check []byte) (pinned []byte, err error) {
	err = s.writeAlerts(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, pinKeyCheck, check); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, selectKeyCheck).Scan(&pinned)
	})
	return pinned, err
}

// AlertChannels returns the channels of an account.
func (s *AlertStore) AlertChannels(ctx context.Context, account string) ([]alert.Channel, error) {
	return s.readChannels(ctx, selectChannels, account)
}

// AlertChannel returns a channel of an account. ok is false if it does not exist.
func (s *AlertStore) AlertChannel(ctx context.Context, account, id string) (c alert.Channel, ok bool, err error) {
	all, err := s.readChannels(ctx, selectChannel, account, codec.CleanText(id))
	if err != nil || len(all) == 0 {
		return alert.Channel{}, false, err
	}
	return all[0], true, nil
}

func (s *AlertStore) readChannels(ctx context.Context, statement string, args ...any) ([]alert.Channel, error) {
	var all []alert.Channel
	err := s.readRows(ctx, statement, args, func(rows *sql.Rows) error {
		var c alert.Channel
		var address, secret []byte
		var last, updated int64
		err := rows.Scan(&c.ID, &c.AccountID, &c.Name, &c.Kind, &address, &secret, &c.Quiet.From, &c.Quiet.To, &c.Quiet.Zone, &c.LastError, &last, &updated)
		if err != nil {
			return err
		}
		c.LastAt, c.Updated = fromMicros(last), fromMicros(updated)
		if c.Address, err = s.sealer.Open(c.AccountID+"/"+c.ID, address); err != nil {
			return err
		}
		c.Secret, err = s.sealer.Open(c.AccountID+"/"+c.ID, secret)
		all = append(all, c)
		return err
	})
	return all, err
}

// CreateAlertChannel stores a channel. Error: INVALID_REQUEST if the account has too many.
func (s *AlertStore) CreateAlertChannel(ctx context.Context, c alert.Channel) error {
	changed, err := s.writeChannel(ctx, insertChannel, c, alert.MaxChannels)
	if err == nil && !changed {
		return apperr.New(apperr.InvalidRequest, fmt.Sprintf("an account can have at most %d channels; delete one first", alert.MaxChannels))
	}
	return err
}

// UpdateAlertChannel replaces a channel of an account. Error: NOT_FOUND.
func (s *AlertStore) UpdateAlertChannel(ctx context.Context, c alert.Channel) error {
	changed, err := s.writeChannel(ctx, updateChannel, c)
	if err == nil && !changed {
		return apperr.New(apperr.NotFound, "the channel does not exist")
	}
	return err
}

func (s *AlertStore) writeChannel(ctx context.Context, statement string, c alert.Channel, more ...any) (changed bool, err error) {
	owner := c.AccountID + "/" + c.ID
	secret := []byte{}
	if c.Secret != "" {
		secret = s.sealer.Seal(owner, c.Secret)
	}
	args := append([]any{
		c.ID, c.AccountID, codec.CleanText(c.Name), string(c.Kind), s.sealer.Seal(owner, c.Address), secret,
		c.Quiet.From, c.Quiet.To, c.Quiet.Zone, c.Updated.UnixMicro(),
	}, more...)
	err = s.writeAlerts(ctx, func(tx *sql.Tx) (err error) {
		changed, err = execChanged(ctx, tx, statement, args...)
		return err
	})
	return changed, err
}

// DeleteAlertChannel deletes a channel of an account and its deliveries. Error: NOT_FOUND.
// Rules that list the channel do not deliver to it any more.
func (s *AlertStore) DeleteAlertChannel(ctx context.Context, account, id string) error {
	return s.writeAlerts(ctx, func(tx *sql.Tx) error {
		changed, err := execChanged(ctx, tx, deleteChannel, codec.CleanText(id), account)
		if err != nil {
			return err
		}
		if !changed {
			return apperr.New(apperr.NotFound, "the channel does not exist")
		}
		_, err = tx.ExecContext(ctx, deleteChannelDeliveries, id, account)
		return err
	})
}

// NoteAlertResult stores how the newest delivery to a channel ended. An empty failure means success.
func (s *Store) NoteAlertResult(ctx context.Context, account, channel, failure string, at time.Time) error {
	return s.writeAlerts(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, noteChannelResult, channel, account, codec.Truncate(codec.CleanText(failure), maxErrorBytes), at.UnixMicro())
		return err
	})
}
