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
	// Limits are those of all keys together.
	Limits  allLimitsJSON `json:"limits"`
	Webhook webhookJSON   `json:"webhook"`
}

// webhookJSON is where notices of budgets go; URL is null for nowhere, and for
// whoever is not an owner ends after its host: the rest may be a secret. Signed
// is whether there is one that notices are signed with.
type webhookJSON struct {
	URL    *string `json:"url"`
	Signed bool    `json:"signed"`
}

func toAccountJSON(a *keyauthv1.Account) accountJSON {
	return accountJSON{
		ID: a.GetId(), Name: a.GetName(), BaselineModel: orNull(a.GetBaselineModel()),
		Capture: captures.word(a.GetCapture()), ContentDays: orNull(a.GetContentDays()),
		CreatedAt: stampText(a.GetCreatedAt()), Operator: a.GetOperator(),
		Limits: toLimitsJSON(a.GetLimits()), Webhook: webhookJSON{orNull(a.GetWebhookUrl()), a.GetWebhookSigned()},
	}
}

// discreet is what those may see of an account who do not own it.
func (a accountJSON) discreet() accountJSON {
	if a.Webhook.URL != nil {
		a.Webhook.URL = orNull(originOf(*a.Webhook.URL))
	}
	return a
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// accountPatch is what an account may change about itself.
type accountPatch struct {
	Name          field[string]        `json:"name"`
	BaselineModel field[string]        `json:"baseline_model"`
	Capture       field[string]        `json:"capture"`
	ContentDays   field[int32]         `json:"content_days"`
	Limits        field[allLimitsBody] `json:"limits"`
	Webhook       field[webhookBody]   `json:"webhook"`
}

type webhookBody struct {
	URL field[string] `json:"url"`
}

func (p *accountPatch) request(v *viewer) (*keyauthv1.UpdateAccountRequest, error) {
	capture, err := captures.number("capture", p.Capture.Value)
	if err != nil {
		return nil, err
	}
	l := &p.Limits.Value
	paths, err := limitMask("limits", p.Limits.Null, slices.Concat(l.limitsBody.all(), l.budgetBody.all()))
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
		Limits: limitsOf(&l.limitsBody, &l.budgetBody), WebhookUrl: p.Webhook.Value.URL.Value,
	}}, nil
}

func (s *server) apiAccount(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.actor()})
	if err = peer(err); err != nil {
		return err
	}
	answer := toAccountJSON(resp.GetAccount())
	if v.user.GetRole() != keyauthv1.Role_ROLE_OWNER {
		answer = answer.discreet()
	}
	return writeJSON(w, http.StatusOK, answer)
}

func (s *server) apiUpdateAccount(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var p accountPatch
	if err := readJSON(w, r, &p); err != nil {
		return err
	}
	if err := s.knownModel(r.Context(), p.BaselineModel); err != nil {
		return err
	}
	request, err := p.request(v)
	if err != nil {
		return err
	}
	resp, err := s.Accounts.UpdateAccount(r.Context(), request)
	if err = asSent(err, "limits"); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toAccountJSON(resp.GetAccount()))
}
