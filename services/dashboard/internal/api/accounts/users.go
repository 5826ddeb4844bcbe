package accounts

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
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
		ID: u.GetId(), Email: u.GetEmail(), Role: jsonvalue.Roles.ToName(u.GetRole()), CreatedAt: jsonvalue.FormatTimestamp(u.GetCreatedAt()),
	}
}

func (s *API) listUsers(ctx context.Context, v *access.Viewer) ([]memberJSON, error) {
	resp, err := s.Accounts.ListUsers(ctx, &keyauthv1.ListUsersRequest{Actor: v.Actor()})
	return jsonvalue.ConvertAll(resp.GetUsers(), toMemberJSON), httpapi.ToAccountsError(err)
}

// changeRole sets a user's role. keyauth checks the permission.
func (s *API) changeRole(ctx context.Context, v *access.Viewer, id, role string) (*keyauthv1.User, error) {
	number, err := jsonvalue.Roles.ParseRequired("role", role)
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateUser(ctx, &keyauthv1.UpdateUserRequest{Actor: v.Actor(), UserId: id, Role: number})
	return resp.GetUser(), httpapi.ToAccountsError(err)
}

func (s *API) removeUser(ctx context.Context, v *access.Viewer, id string) error {
	_, err := s.Accounts.RemoveUser(ctx, &keyauthv1.RemoveUserRequest{Actor: v.Actor(), UserId: id})
	return httpapi.ToAccountsError(err)
}

func (s *API) apiListUsers(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	items, err := s.listUsers(r.Context(), v)
	if err != nil {
		return err
	}
	return httpapi.WriteItems(w, items)
}

func (s *API) apiUpdateUser(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b struct {
		Role string `json:"role"`
	}
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	id, err := httpapi.ParsePathID(r, "user")
	if err != nil {
		return err
	}
	u, err := s.changeRole(r.Context(), v, id, b.Role)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, toMemberJSON(u))
}

func (s *API) apiRemoveUser(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "user")
	if err != nil {
		return err
	}
	return httpapi.WriteNoContent(w, s.removeUser(r.Context(), v, id))
}
