package dashboard

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/seal"
	"github.com/signalbox/signalbox/pkg/webhook"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/completeness"
	"github.com/signalbox/signalbox/services/dashboard/internal/measure"
	"github.com/signalbox/signalbox/services/dashboard/internal/notify"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// alertKeyLen is the length of the key that encrypts channels.
const alertKeyLen = 32

// Certificate is when a certificate ends.
type Certificate = measure.Certificate

// errAlertKey means that this process cannot read the channels of alerts. The dashboard works
// without them.
var errAlertKey = errors.New("use the same --alert-key-file for all dashboards")

// openAlertStore returns the store of alerts. It returns errAlertKey if the key file cannot be
// read or created, or if it differs from the one with which the first dashboard encrypted.
func openAlertStore(ctx context.Context, cfg Config, s *store.Store) (*store.AlertStore, error) {
	key, err := loadAlertKey(cmp.Or(cfg.AlertKeyFile, filepath.Join(cfg.Data, "alert-key")))
	if err != nil {
		return nil, errors.Join(errAlertKey, err)
	}
	check := alertKeyCheck(key)
	pinned, err := s.PinAlertKey(ctx, check)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(pinned, check) {
		return nil, errors.Join(errAlertKey, errors.New("the alert key does not belong to this store"))
	}
	sealer, err := seal.New(key, "signalbox alert channels")
	if err != nil {
		return nil, err
	}
	return s.WithSealer(sealer), nil
}

func loadAlertKey(path string) ([]byte, error) {
	key, err := seal.ReadKey(path, alertKeyLen)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("create alert key: %w", err)
		}
		fresh := make([]byte, alertKeyLen)
		_, _ = rand.Read(fresh) // never returns an error: it crashes the process instead
		if err := seal.CreateOnce(path, fresh); err != nil {
			return nil, fmt.Errorf("create alert key: %w", err)
		}
		key, err = seal.ReadKey(path, alertKeyLen)
	}
	if err != nil {
		return nil, fmt.Errorf("read alert key: %w", err)
	}
	return key, nil
}

// alertKeyCheck returns a value that identifies a key without revealing it.
func alertKeyCheck(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("signalbox alert key check"))
	return h.Sum(nil)
}

func newAlertSender(cfg Config) (*notify.Sender, error) {
	var mailer *notify.Mailer
	if cfg.SMTP != "" {
		var err error
		if mailer, err = notify.NewMailer(cfg.SMTP.Reveal(), cfg.SMTPFrom, nil); err != nil {
			return nil, err
		}
	}
	return notify.New(webhook.Config{AllowPrivate: cfg.WebhookAllowPrivate}, mailer), nil
}

// alertTasks returns the loops of alerts. There are none if this process cannot read the
// channels: another dashboard must be able to take the lease.
func (s *Service) alertTasks() []lifecycle.Task {
	if s.alerts == nil {
		return nil
	}
	evaluator, deliverer := s.newEvaluator(), &alert.Deliverer{Queue: s.alerts, Sender: s.alertSender, Log: s.deps.Log, Now: time.Now}
	return []lifecycle.Task{{Name: "alerts", Run: evaluator.Run}, {Name: "alert deliveries", Run: deliverer.Run}}
}

func (s *Service) newEvaluator() *alert.Evaluator {
	return &alert.Evaluator{
		Store: s.alerts, Origin: s.origin, Log: s.deps.Log, Now: time.Now, Holder: uuid.NewString(),
		// On a replica that lags behind, the newest failures are missing, so an alert would resolve.
		Source: newAlertSource(s.store.Primary(), s.deps, s.monitor),
	}
}

func newAlertSource(ledger measure.Ledger, deps Deps, monitor *completeness.Monitor) *measure.Source {
	return &measure.Source{
		Ledger: ledger, Accounts: deps.Accounts, Router: deps.Router, CheckCompleteness: monitor.Check, Certificates: deps.Certificates,
	}
}
