package web

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// memberJSON is a user of the account.
type memberJSON struct {
	ID        string  `json:"id"`
	Email     string  `json:"email"`
	Role      *string `json:"role"`
	CreatedAt *string `json:"created_at"`
}

func toMemberJSON(u *keyauthv1.User) memberJSON {
	return memberJSON{
		ID: u.GetId(), Email: u.GetEmail(), Role: roles.toName(u.GetRole()), CreatedAt: formatTimestamp(u.GetCreatedAt()),
	}
}

func (s *server) listUsers(ctx context.Context, v *viewer) ([]memberJSON, error) {
	resp, err := s.Accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: v.actor()})
	return convertAll(resp.GetUsers(), toMemberJSON), toAccountsError(err)
}

// changeRole sets a user's role. keyauth checks the permission.
func (s *server) changeRole(ctx context.Context, v *viewer, id, role string) (*keyauthv1.User, error) {
	number, err := roles.parseRequired("role", role)
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateUser(ctx, &keyauthv1.UpdateUserRequest{Actor: v.actor(), UserId: id, Role: number})
	return resp.GetUser(), toAccountsError(err)
}

func (s *server) removeUser(ctx context.Context, v *viewer, id string) error {
	_, err := s.Accounts.RemoveUser(ctx, &keyauthv1.RemoveUserRequest{Actor: v.actor(), UserId: id})
	return toAccountsError(err)
}

func (s *server) apiListUsers(w http.ResponseWriter, r *http.Request, v *viewer) error {
	items, err := s.listUsers(r.Context(), v)
	if err != nil {
		return err
	}
	return writeItems(w, items)
}

func (s *server) apiUpdateUser(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b struct {
		Role string `json:"role"`
	}
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	id, err := parsePathID(r, "user")
	if err != nil {
		return err
	}
	u, err := s.changeRole(r.Context(), v, id, b.Role)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toMemberJSON(u))
}

func (s *server) apiRemoveUser(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := parsePathID(r, "user")
	if err != nil {
		return err
	}
	return writeNoContent(w, s.removeUser(r.Context(), v, id))
}
