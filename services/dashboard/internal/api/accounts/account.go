package accounts

import (
	"net/http"
	"net/url"
	"slices"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
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
	// AllowExperiments lets experiments compare models on requests of the account.
	AllowExperiments bool `json:"allow_experiments"`
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
		ID: a.GetId(), Name: a.GetName(), BaselineModel: jsonvalue.NullIfZero(a.GetBaselineModel()),
		Capture: jsonvalue.Captures.ToName(a.GetCapture()), ContentDays: jsonvalue.NullIfZero(a.GetContentDays()),
		CreatedAt: jsonvalue.FormatTimestamp(a.GetCreatedAt()), Operator: a.GetOperator(),
		Limits: toLimitsJSON(a.GetLimits()), Webhook: webhookJSON{jsonvalue.NullIfZero(a.GetWebhookUrl()), a.GetWebhookSigned()},
		AllowExperiments: a.GetAllowExperiments(),
	}
}

func (a accountJSON) redactWebhook() accountJSON {
	if a.Webhook.URL != nil {
		a.Webhook.URL = jsonvalue.NullIfZero(originOnly(*a.Webhook.URL))
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
	Name             httpapi.PatchField[string]        `json:"name"`
	BaselineModel    httpapi.PatchField[string]        `json:"baseline_model"`
	Capture          httpapi.PatchField[string]        `json:"capture"`
	ContentDays      httpapi.PatchField[int32]         `json:"content_days"`
	Limits           httpapi.PatchField[allLimitsBody] `json:"limits"`
	Webhook          httpapi.PatchField[webhookBody]   `json:"webhook"`
	AllowExperiments httpapi.PatchField[bool]          `json:"allow_experiments"`
}

type webhookBody struct {
	URL httpapi.PatchField[string] `json:"url"`
}

func (p *accountPatch) toRequest(v *access.Viewer) (*keyauthv1.UpdateAccountRequest, error) {
	capture, err := jsonvalue.Captures.ParseOptional("capture", p.Capture.Value)
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
		{p.AllowExperiments.Given, "allow_experiments"},
	} {
		if f.given {
			paths = append(paths, f.name)
		}
	}
	return &keyauthv1.UpdateAccountRequest{Actor: v.Actor(), Mask: &fieldmaskpb.FieldMask{Paths: paths}, Account: &keyauthv1.Account{
		Name: p.Name.Value, BaselineModel: p.BaselineModel.Value, Capture: capture, ContentDays: p.ContentDays.Value,
		Limits: toLimits(&l.limitsBody, &l.budgetBody), WebhookUrl: p.Webhook.Value.URL.Value,
		AllowExperiments: p.AllowExperiments.Value,
	}}, nil
}

func (s *API) apiGetAccount(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.Actor()})
	account := toAccountJSON(resp.GetAccount())
	if v.User.GetRole() != keyauthv1.Role_ROLE_OWNER {
		account = account.redactWebhook()
	}
	return httpapi.WriteResult(w, http.StatusOK, account, httpapi.ToAccountsError(err))
}

func (s *API) apiUpdateAccount(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var p accountPatch
	if err := httpapi.ReadJSON(w, r, &p); err != nil {
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
	return httpapi.WriteResult(w, http.StatusOK, toAccountJSON(resp.GetAccount()), toBodyError(err, "limits"))
}
