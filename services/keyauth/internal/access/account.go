package access

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxContentDays is ten years; a larger value is likely a typing error.
const maxContentDays = 3650

// Account is the customer that owns keys and pays for their requests.
type Account struct {
	ID            string
	Name          string
	BaselineModel string
	Capture       setting.Capture
	// ContentDays is the retention of captured content in days; 0 means the setting of the installation.
	ContentDays int32
	Operator    bool
	CreatedAt   time.Time
	// Limits apply to all keys of the account together.
	Limits setting.Limits
	// WebhookURL receives notices; empty means none.
	WebhookURL string
	// WebhookSecret is the encrypted signing secret; nil means unsigned.
	WebhookSecret []byte
	// AllowExperiments lets experiments compare models on requests of the account.
	AllowExperiments bool
	// ClaimHash is the hash of the one-time token with which the operator creates
	// the first login. It is nil after the claim. Other accounts never have one.
	ClaimHash []byte
}

// AccountReader reads accounts.
type AccountReader interface {
	Account(ctx context.Context, id string) (Account, error)
	Operator(ctx context.Context) (Account, error)
	// Accounts lists accounts by id, starting after the given id.
	Accounts(ctx context.Context, after string, limit int) ([]Account, error)
}

// AccountWriter reads and saves accounts. Saving an account also appends to the
// change log.
type AccountWriter interface {
	AccountReader
	SaveAccount(ctx context.Context, a Account) error
}

// IsUnclaimed reports whether the account still waits for its first owner.
func (a Account) IsUnclaimed() bool { return len(a.ClaimHash) > 0 }

// AuditFields returns the settings that the audit log records.
func (a Account) AuditFields() audit.Fields {
	return a.Limits.AddTo(audit.Fields{
		"name": a.Name, "baseline_model": a.BaselineModel, "capture": a.Capture, "content_days": a.ContentDays,
		"webhook_url": a.WebhookURL, "webhook_signed": a.WebhookSigned(), "allow_experiments": a.AllowExperiments,
	})
}

// WebhookSigned reports whether notices are signed.
func (a Account) WebhookSigned() bool { return len(a.WebhookSecret) > 0 }

// WithoutWebhookPath returns the account with only the scheme and host of its webhook
// URL. The path is often a secret, which only owners may see.
func (a Account) WithoutWebhookPath() Account {
	if u, err := url.Parse(a.WebhookURL); err == nil && a.WebhookURL != "" {
		a.WebhookURL = u.Scheme + "://" + u.Host + "/"
	}
	return a
}

// Validate trims the name and checks all settings that do not depend on the installation.
func (a *Account) Validate() error {
	a.Name = strings.TrimSpace(a.Name)
	switch {
	case !setting.IsText(a.Name, 1, setting.MaxEmailLength):
		return setting.InvalidParam("name", "an account needs a name of 1 to 254 printable characters")
	case !setting.IsText(a.BaselineModel, 0, setting.MaxModelLength):
		return setting.InvalidParam("baseline_model", "a model name must have at most 200 printable characters")
	case !a.Capture.IsKnown():
		return setting.InvalidParam("capture", "capture must be full, redacted or none")
	case a.ContentDays < 0 || a.ContentDays > maxContentDays:
		return setting.InvalidParam("content_days", "content retention must be 0 (the installation's setting) to 3650 days")
	}
	return a.Limits.Validate()
}
