package web

import (
	"net/http"

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
}

func toAccountJSON(a *keyauthv1.Account) accountJSON {
	return accountJSON{
		ID: a.GetId(), Name: a.GetName(), BaselineModel: orNull(a.GetBaselineModel()),
		Capture: captures.word(a.GetCapture()), ContentDays: orNull(a.GetContentDays()),
		CreatedAt: stampText(a.GetCreatedAt()), Operator: a.GetOperator(),
	}
}

// accountPatch is what an account may change about itself.
type accountPatch struct {
	Name          field[string] `json:"name"`
	BaselineModel field[string] `json:"baseline_model"`
	Capture       field[string] `json:"capture"`
	ContentDays   field[int32]  `json:"content_days"`
}

func (p *accountPatch) request(v *viewer) (*keyauthv1.UpdateAccountRequest, error) {
	capture, err := captures.number("capture", p.Capture.Value)
	if err != nil {
		return nil, err
	}
	mask := &fieldmaskpb.FieldMask{}
	for _, f := range []struct {
		given bool
		name  string
	}{
		{p.Name.Given, "name"},
		{p.BaselineModel.Given, "baseline_model"},
		{p.Capture.Given, "capture"},
		{p.ContentDays.Given, "content_days"},
	} {
		if f.given {
			mask.Paths = append(mask.Paths, f.name)
		}
	}
	return &keyauthv1.UpdateAccountRequest{Actor: v.actor(), Mask: mask, Account: &keyauthv1.Account{
		Name: p.Name.Value, BaselineModel: p.BaselineModel.Value, Capture: capture, ContentDays: p.ContentDays.Value,
	}}, nil
}

func (s *server) apiAccount(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.actor()})
	if err = peer(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toAccountJSON(resp.GetAccount()))
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
	if err = peer(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toAccountJSON(resp.GetAccount()))
}
