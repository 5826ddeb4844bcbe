package alerts

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/google/uuid"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// secretPrefix marks signing secrets, like those of keyauth's webhooks.
const secretPrefix = "whsec_"

type channelBody struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Address is empty in an update that keeps the stored one.
	Address    string     `json:"address"`
	QuietHours *quietBody `json:"quiet_hours"`
}

type quietBody struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Zone string `json:"zone"`
}

// createdJSON is a new channel. Secret signs the messages of a webhook; it is shown only here.
type createdJSON struct {
	channelJSON
	Secret *string `json:"secret"`
}

func (s *API) apiCreateChannel(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b channelBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	c, err := s.toChannel(r, v, b, alert.Channel{ID: uuid.NewString()})
	if err != nil {
		return err
	}
	out := createdJSON{}
	if c.Kind == alert.Webhook {
		c.Secret = secretPrefix + rand.Text()
		out.Secret = &c.Secret
	}
	out.channelJSON = toChannelJSON(c)
	if err := s.Store.CreateAlertChannel(r.Context(), c); err != nil {
		return err
	}
	s.record(r, v, "create_channel", c.ID, nil, channelFields(c))
	return httpapi.WriteJSON(w, http.StatusCreated, out)
}

func (s *API) apiUpdateChannel(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b channelBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	old, err := s.findChannel(r, v)
	if err != nil {
		return err
	}
	c, err := s.toChannel(r, v, b, old)
	if err != nil {
		return err
	}
	if err := s.Store.UpdateAlertChannel(r.Context(), c); err != nil {
		return err
	}
	s.record(r, v, "update_channel", c.ID, channelFields(old), changedChannelFields(old, c))
	return httpapi.WriteJSON(w, http.StatusOK, toChannelJSON(c))
}

func (s *API) apiDeleteChannel(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	c, err := s.findChannel(r, v)
	if err != nil {
		return err
	}
	if err := s.Store.DeleteAlertChannel(r.Context(), c.AccountID, c.ID); err != nil {
		return err
	}
	s.record(r, v, "delete_channel", c.ID, channelFields(c), nil)
	return httpapi.WriteNoContent(w, nil)
}

func (s *API) findChannel(r *http.Request, v *access.Viewer) (alert.Channel, error) {
	id, err := httpapi.ParsePathID(r, "channel")
	if err != nil {
		return alert.Channel{}, err
	}
	c, ok, err := s.Store.AlertChannel(r.Context(), v.Account.GetId(), id)
	if err == nil && !ok {
		err = httpapi.NotFoundError("channel")
	}
	return c, err
}

// toChannel returns the valid channel of a body. old has the id, and in an update the
// address that stays if the body has none. The kind cannot change, because the address would
// mean something else.
func (s *API) toChannel(r *http.Request, v *access.Viewer, b channelBody, old alert.Channel) (alert.Channel, error) {
	c := old
	c.AccountID, c.Name, c.Kind, c.Updated, c.Quiet = v.Account.GetId(), strings.TrimSpace(b.Name), alert.ChannelKind(b.Kind), now(), alert.QuietHours{}
	if old.Kind != "" && c.Kind != old.Kind {
		return alert.Channel{}, httpapi.InvalidParam("kind", "the kind of a channel cannot change; create another channel")
	}
	if address := strings.TrimSpace(b.Address); address != "" {
		c.Address = address
	}
	if b.QuietHours != nil {
		c.Quiet = alert.QuietHours(*b.QuietHours)
	}
	if err := c.Validate(s.Sender.CheckURL); err != nil {
		return alert.Channel{}, err
	}
	return c, s.checkRecipient(r, v, c)
}

// checkRecipient allows e-mail only to users of the account. Otherwise an account could send
// mail to strangers in the name of the operator. The operator's account may use any address.
func (s *API) checkRecipient(r *http.Request, v *access.Viewer, c alert.Channel) error {
	if c.Kind != alert.Email || v.Account.GetOperator() {
		return nil
	}
	users, err := s.Accounts.ListUsers(r.Context(), &keyauthv1.ListUsersRequest{Actor: v.Actor()})
	if err != nil {
		return httpapi.ToAccountsError(err)
	}
	for _, u := range users.GetUsers() {
		if strings.EqualFold(u.GetEmail(), c.Address) {
			return nil
		}
	}
	return httpapi.InvalidParam("address", "alerts can only be sent to e-mail addresses of users of this account; invite the user first")
}
