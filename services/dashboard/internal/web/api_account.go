package web

import (
	"net/http"
	"net/url"
	"slices"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

type accountJSON struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	BaselineModel *string `json:"baseline_model"`
	Capture       *string `json:"capture"`
	ContentDays   *int32  `json:"content_days"`
	CreatedAt     *string `json:"created_at"`
	Operator      bool    `json:"operator"`
	// Limits apply to all keys together.
	Limits  allLimitsJSON `json:"limits"`
	Webhook webhookJSON   `json:"webhook"`
}

// webhookJSON describes where budget notices are sent. URL is null if no
// webhook is set. For users who are not owners, URL contains only the origin,
// because the path may contain a secret. Signed is true if notices are signed.
type webhookJSON struct {
	URL    *string `json:"url"`
	Signed bool    `json:"signed"`
}

func toAccountJSON(a *keyauthv1.Account) accountJSON {
	return accountJSON{
		ID: a.GetId(), Name: a.GetName(), BaselineModel: nullIfZero(a.GetBaselineModel()),
		Capture: captures.toName(a.GetCapture()), ContentDays: nullIfZero(a.GetContentDays()),
		CreatedAt: formatTimestamp(a.GetCreatedAt()), Operator: a.GetOperator(),
		Limits: toLimitsJSON(a.GetLimits()), Webhook: webhookJSON{nullIfZero(a.GetWebhookUrl()), a.GetWebhookSigned()},
	}
}

func (a accountJSON) redactWebhook() accountJSON {
	if a.Webhook.URL != nil {
		a.Webhook.URL = nullIfZero(originOnly(*a.Webhook.URL))
	}
	return a
}

func originOnly(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

type accountPatch struct {
	Name          patchField[string]        `json:"name"`
	BaselineModel patchField[string]        `json:"baseline_model"`
	Capture       patchField[string]        `json:"capture"`
	ContentDays   patchField[int32]         `json:"content_days"`
	Limits        patchField[allLimitsBody] `json:"limits"`
	Webhook       patchField[webhookBody]   `json:"webhook"`
}

type webhookBody struct {
	URL patchField[string] `json:"url"`
}

func (p *accountPatch) toRequest(v *viewer) (*keyauthv1.UpdateAccountRequest, error) {
	capture, err := captures.parseOptional("capture", p.Capture.Value)
	if err != nil {
		return nil, err
	}
	l := &p.Limits.Value
	paths, err := buildLimitMask("limits", p.Limits.Null, slices.Concat(l.limitsBody.listLimits(), l.budgetBody.listLimits()))
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		given bool
		name  string
	}{
		{p.Name.Given, "name"},
		{p.BaselineModel.Given, "baseline_model"},
		{p.Capture.Given, "capture"},
		{p.ContentDays.Given, "content_days"},
		{p.Webhook.Null || p.Webhook.Value.URL.Given, "webhook_url"},
	} {
		if f.given {
			paths = append(paths, f.name)
		}
	}
	return &keyauthv1.UpdateAccountRequest{Actor: v.actor(), Mask: &fieldmaskpb.FieldMask{Paths: paths}, Account: &keyauthv1.Account{
		Name: p.Name.Value, BaselineModel: p.BaselineModel.Value, Capture: capture, ContentDays: p.ContentDays.Value,
		Limits: toLimits(&l.limitsBody, &l.budgetBody), WebhookUrl: p.Webhook.Value.URL.Value,
	}}, nil
}

func (s *server) apiGetAccount(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.actor()})
	if err = toAccountsError(err); err != nil {
		return err
	}
	account := toAccountJSON(resp.GetAccount())
	if v.user.GetRole() != keyauthv1.Role_ROLE_OWNER {
		account = account.redactWebhook()
	}
	return writeJSON(w, http.StatusOK, account)
}

func (s *server) apiUpdateAccount(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var p accountPatch
	if err := readJSON(w, r, &p); err != nil {
		return err
	}
	if err := s.checkBaselineModel(r.Context(), p.BaselineModel); err != nil {
		return err
	}
	request, err := p.toRequest(v)
	if err != nil {
		return err
	}
	resp, err := s.Accounts.UpdateAccount(r.Context(), request)
	if err = toBodyError(err, "limits"); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toAccountJSON(resp.GetAccount()))
}
