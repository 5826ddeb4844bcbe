package accounts

import (
	"context"
	"net/http"
	"net/url"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// InvitePath is the page on which an invited user accepts the invite.
const InvitePath = "/invite"

// inviteJSON is a pending invite. Its token is stored only as a hash.
type inviteJSON struct {
	ID   string  `json:"id"`
	Role *string `json:"role"`
	// NewAccount is true if the invited user gets a new account.
	NewAccount bool    `json:"new_account"`
	CreatedAt  *string `json:"created_at"`
	ExpiresAt  *string `json:"expires_at"`
	// UserID is the user who created the invite; null if the operator created it on
	// the command line.
	UserID *string `json:"user_id"`
}

// newInviteJSON is a new invite. Only this response contains the token.
type newInviteJSON struct {
	ID    string `json:"id"`
	Token string `json:"token"`
	// URL has no host if no public URL is configured, because the Host header of
	// the request cannot be trusted.
	URL       string  `json:"url"`
	ExpiresAt *string `json:"expires_at"`
}

type inviteBody struct {
	Role       string `json:"role"`
	NewAccount bool   `json:"new_account"`
}

func toInviteJSON(i *keyauthv1.Invite) inviteJSON {
	return inviteJSON{
		ID: i.GetId(), Role: jsonvalue.Roles.ToName(i.GetRole()), NewAccount: i.GetNewAccount(), CreatedAt: jsonvalue.FormatTimestamp(i.GetCreatedAt()),
		ExpiresAt: jsonvalue.FormatTimestamp(i.GetExpiresAt()), UserID: jsonvalue.NullIfZero(i.GetUserId()),
	}
}

// createInvite creates an invite. The first user of a new account is its owner,
// so an invite to a new account cannot have another role.
func (s *API) createInvite(ctx context.Context, v *access.Viewer, b inviteBody) (newInviteJSON, error) {
	if b.NewAccount && b.Role == "" {
		b.Role = "owner"
	}
	role, err := jsonvalue.Roles.ParseRequired("role", b.Role)
	if err != nil {
		return newInviteJSON{}, err
	}
	if b.NewAccount && role != keyauthv1.Role_ROLE_OWNER {
		return newInviteJSON{}, httpapi.InvalidParam("role", "an invite to a new account must have the role owner")
	}
	resp, err := s.Accounts.CreateInvite(ctx, &keyauthv1.CreateInviteRequest{
		Actor: v.Actor(), Role: role, NewAccount: b.NewAccount,
	})
	return newInviteJSON{
		ID: resp.GetId(), Token: resp.GetToken(), URL: s.tokenURL(InvitePath, resp.GetToken()), ExpiresAt: jsonvalue.FormatTimestamp(resp.GetExpiresAt()),
	}, httpapi.ToAccountsError(err)
}

// tokenURL returns the URL of a page that redeems a token.
func (s *API) tokenURL(path, token string) string {
	var to url.URL
	if s.PublicURL != nil {
		to = *s.PublicURL
	}
	to.Path, to.RawQuery = path, url.Values{"token": {token}}.Encode()
	return to.String()
}

func (s *API) apiListInvites(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.ListInvites(r.Context(), &keyauthv1.ListInvitesRequest{Actor: v.Actor()})
	return httpapi.WriteItems(w, jsonvalue.ConvertAll(resp.GetInvites(), toInviteJSON), httpapi.ToAccountsError(err))
}

func (s *API) apiCreateInvite(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b inviteBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	invite, err := s.createInvite(r.Context(), v, b)
	return httpapi.WriteResult(w, http.StatusCreated, invite, err)
}

func (s *API) apiRevokeInvite(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "invite")
	if err != nil {
		return err
	}
	_, err = s.Accounts.RevokeInvite(r.Context(), &keyauthv1.RevokeInviteRequest{Actor: v.Actor(), InviteId: id})
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}
