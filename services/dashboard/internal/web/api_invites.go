package web

import (
	"context"
	"net/http"
	"net/url"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

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
		ID: i.GetId(), Role: roles.toName(i.GetRole()), NewAccount: i.GetNewAccount(), CreatedAt: formatTimestamp(i.GetCreatedAt()),
		ExpiresAt: formatTimestamp(i.GetExpiresAt()), UserID: nullIfZero(i.GetUserId()),
	}
}

func (s *server) listInvites(ctx context.Context, v *viewer) ([]inviteJSON, error) {
	resp, err := s.Accounts.ListInvites(ctx, &keyauthv1.ListInvitesRequest{Actor: v.actor()})
	return convertAll(resp.GetInvites(), toInviteJSON), toAccountsError(err)
}

// createInvite creates an invite. The first user of a new account is its owner,
// so an invite to a new account cannot have another role.
func (s *server) createInvite(ctx context.Context, v *viewer, b inviteBody) (newInviteJSON, error) {
	if b.NewAccount && b.Role == "" {
		b.Role = "owner"
	}
	role, err := roles.parseRequired("role", b.Role)
	if err != nil {
		return newInviteJSON{}, err
	}
	if b.NewAccount && role != keyauthv1.Role_ROLE_OWNER {
		return newInviteJSON{}, invalidParam("role", "an invite to a new account must have the role owner")
	}
	resp, err := s.Accounts.CreateInvite(ctx, &keyauthv1.CreateInviteRequest{
		Actor: v.actor(), Role: role, NewAccount: b.NewAccount,
	})
	if err = toAccountsError(err); err != nil {
		return newInviteJSON{}, err
	}
	return newInviteJSON{
		ID: resp.GetId(), Token: resp.GetToken(), URL: s.tokenURL(inviteForm.Path, resp.GetToken()), ExpiresAt: formatTimestamp(resp.GetExpiresAt()),
	}, nil
}

// tokenURL returns the URL of a page that redeems a token.
func (s *server) tokenURL(path, token string) string {
	var to url.URL
	if s.PublicURL != nil {
		to = *s.PublicURL
	}
	to.Path, to.RawQuery = path, url.Values{"token": {token}}.Encode()
	return to.String()
}

func (s *server) revokeInvite(ctx context.Context, v *viewer, id string) error {
	_, err := s.Accounts.RevokeInvite(ctx, &keyauthv1.RevokeInviteRequest{Actor: v.actor(), InviteId: id})
	return toAccountsError(err)
}

func (s *server) apiListInvites(w http.ResponseWriter, r *http.Request, v *viewer) error {
	items, err := s.listInvites(r.Context(), v)
	if err != nil {
		return err
	}
	return writeItems(w, items)
}

func (s *server) apiCreateInvite(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b inviteBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	invite, err := s.createInvite(r.Context(), v, b)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, invite)
}

func (s *server) apiRevokeInvite(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := parsePathID(r, "invite")
	if err != nil {
		return err
	}
	return writeNoContent(w, s.revokeInvite(r.Context(), v, id))
}
