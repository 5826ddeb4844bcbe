package web

import (
	"context"
	"net/http"
	"net/url"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// inviteJSON is an invite that waits. Its token is not known any more.
type inviteJSON struct {
	ID   string  `json:"id"`
	Role *string `json:"role"`
	// NewAccount is whether the invited gets an account of their own.
	NewAccount bool    `json:"new_account"`
	CreatedAt  *string `json:"created_at"`
	ExpiresAt  *string `json:"expires_at"`
	// UserID is who made it; null for the operator's command line.
	UserID *string `json:"user_id"`
}

// newInviteJSON is an invite where it is made: nowhere else is its token.
type newInviteJSON struct {
	ID    string `json:"id"`
	Token string `json:"token"`
	// URL has no host when nobody has said by which one browsers come: that of
	// the request may be anybody's.
	URL       string  `json:"url"`
	ExpiresAt *string `json:"expires_at"`
}

type inviteBody struct {
	Role       string `json:"role"`
	NewAccount bool   `json:"new_account"`
}

func toInviteJSON(i *keyauthv1.Invite) inviteJSON {
	return inviteJSON{
		ID: i.GetId(), Role: roles.word(i.GetRole()), NewAccount: i.GetNewAccount(), CreatedAt: stampText(i.GetCreatedAt()),
		ExpiresAt: stampText(i.GetExpiresAt()), UserID: orNull(i.GetUserId()),
	}
}

func (s *server) listInvites(ctx context.Context, v *viewer) ([]inviteJSON, error) {
	resp, err := s.Accounts.ListInvites(ctx, &keyauthv1.ListInvitesRequest{Actor: v.actor()})
	return each(resp.GetInvites(), toInviteJSON), peer(err)
}

// invite makes an invite. Whoever makes an account is its owner, so for that
// no other role can be given.
func (s *server) invite(ctx context.Context, v *viewer, b inviteBody) (newInviteJSON, error) {
	if b.NewAccount && b.Role == "" {
		b.Role = "owner"
	}
	role, err := roles.need("role", b.Role)
	if err != nil {
		return newInviteJSON{}, err
	}
	if b.NewAccount && role != keyauthv1.Role_ROLE_OWNER {
		return newInviteJSON{}, badParam("role", "who makes an account is its owner")
	}
	resp, err := s.Accounts.CreateInvite(ctx, &keyauthv1.CreateInviteRequest{
		Actor: v.actor(), Role: role, NewAccount: b.NewAccount,
	})
	if err = peer(err); err != nil {
		return newInviteJSON{}, err
	}
	return newInviteJSON{
		ID: resp.GetId(), Token: resp.GetToken(), URL: s.link(inviteForm.Path, resp.GetToken()), ExpiresAt: stampText(resp.GetExpiresAt()),
	}, nil
}

// link is the address of a page that spends a token.
func (s *server) link(path, token string) string {
	var to url.URL
	if s.PublicURL != nil {
		to = *s.PublicURL
	}
	to.Path, to.RawQuery = path, url.Values{"token": {token}}.Encode()
	return to.String()
}

func (s *server) revokeInvite(ctx context.Context, v *viewer, id string) error {
	_, err := s.Accounts.RevokeInvite(ctx, &keyauthv1.RevokeInviteRequest{Actor: v.actor(), InviteId: id})
	return peer(err)
}

func (s *server) apiInvites(w http.ResponseWriter, r *http.Request, v *viewer) error {
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
	made, err := s.invite(r.Context(), v, b)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, made)
}

func (s *server) apiRevokeInvite(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := pathID(r, "invite")
	if err != nil {
		return err
	}
	return writeDone(w, s.revokeInvite(r.Context(), v, id))
}
