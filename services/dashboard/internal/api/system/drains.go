package system

import (
	"context"
	"net/http"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// auditTimeout limits the wait for the audit log after a change was made.
const auditTimeout = 10 * time.Second

// drainJSON is a provider or a model that receives no new requests. A null provider means
// every provider of the model, a null model every model of the provider.
type drainJSON struct {
	Provider *string `json:"provider"`
	Model    *string `json:"model"`
	Reason   string  `json:"reason"`
	Author   *string `json:"author"`
	Since    *string `json:"since"`
}

func toDrainJSON(d *routerv1.Drain) drainJSON {
	return drainJSON{
		Provider: jsonvalue.NullIfZero(d.GetProvider()), Model: jsonvalue.NullIfZero(d.GetModel()), Reason: d.GetReason(),
		Author: jsonvalue.NullIfZero(d.GetAuthor()), Since: jsonvalue.FormatTimestamp(d.GetSince()),
	}
}

type drainBody struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Reason   string `json:"reason"`
}

// apiDrain stops new requests to a provider, to a model, or to a model at a provider.
func (s *API) apiDrain(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b drainBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	resp, err := s.Router.Drain(r.Context(), &routerv1.DrainRequest{Provider: b.Provider, Model: b.Model, Reason: b.Reason, Author: v.User.GetEmail()})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	s.recordDrain(r, v, b, false)
	return httpapi.WriteJSON(w, http.StatusOK, toDrainJSON(resp.GetDrain()))
}

// apiResume ends a drain of the same provider and model.
func (s *API) apiResume(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b drainBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	_, err := s.Router.Resume(r.Context(), &routerv1.ResumeRequest{Provider: b.Provider, Model: b.Model, Reason: b.Reason, Author: v.User.GetEmail()})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	s.recordDrain(r, v, b, true)
	return httpapi.WriteNoContent(w, nil)
}

// recordDrain adds the change to the audit log. The change is made already, so a failure is
// only logged. The router also stores author and reason.
func (s *API) recordDrain(r *http.Request, v *access.Viewer, b drainBody, resumed bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), auditTimeout)
	defer cancel()
	_, err := s.Accounts.RecordDrain(ctx, &keyauthv1.RecordDrainRequest{
		Actor: v.Actor(), Resumed: resumed, Provider: b.Provider, Model: b.Model, Reason: b.Reason,
	})
	if err != nil {
		s.Log.Error("cannot add a drain to the audit log", "request_id", httpapi.RequestID(r), "provider", b.Provider, "model", b.Model, "resumed", resumed, "error", err)
	}
}
