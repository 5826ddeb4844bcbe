package web

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// personJSON is a person of the account.
type personJSON struct {
	ID        string  `json:"id"`
	Email     string  `json:"email"`
	Role      *string `json:"role"`
	CreatedAt *string `json:"created_at"`
}

func toPersonJSON(u *keyauthv1.User) personJSON {
	return personJSON{
		ID: u.GetId(), Email: u.GetEmail(), Role: roles.word(u.GetRole()), CreatedAt: stampText(u.GetCreatedAt()),
	}
}

func (s *server) listPeople(ctx context.Context, v *viewer) ([]personJSON, error) {
	resp, err := s.Accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: v.actor()})
	return each(resp.GetUsers(), toPersonJSON), peer(err)
}

// changeRole gives a person another role. Who may, the account service knows.
func (s *server) changeRole(ctx context.Context, v *viewer, id, role string) (*keyauthv1.User, error) {
	number, err := roles.need("role", role)
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateUser(ctx, &keyauthv1.UpdateUserRequest{Actor: v.actor(), UserId: id, Role: number})
	return resp.GetUser(), peer(err)
}

func (s *server) removePerson(ctx context.Context, v *viewer, id string) error {
	_, err := s.Accounts.RemoveUser(ctx, &keyauthv1.RemoveUserRequest{Actor: v.actor(), UserId: id})
	return peer(err)
}

func (s *server) apiUsers(w http.ResponseWriter, r *http.Request, v *viewer) error {
	items, err := s.listPeople(r.Context(), v)
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
	id, err := pathID(r, "user")
	if err != nil {
		return err
	}
	u, err := s.changeRole(r.Context(), v, id, b.Role)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toPersonJSON(u))
}

func (s *server) apiRemoveUser(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := pathID(r, "user")
	if err != nil {
		return err
	}
	return writeDone(w, s.removePerson(r.Context(), v, id))
}
