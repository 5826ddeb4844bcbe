package accounts

import (
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

func (s *API) apiListUsers(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.ListUsers(r.Context(), &keyauthv1.ListUsersRequest{Actor: v.Actor()})
	return httpapi.WriteItems(w, jsonvalue.ConvertAll(resp.GetUsers(), toMemberJSON), httpapi.ToAccountsError(err))
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
	role, err := jsonvalue.Roles.ParseRequired("role", b.Role)
	if err != nil {
		return err
	}
	resp, err := s.Accounts.UpdateUser(r.Context(), &keyauthv1.UpdateUserRequest{Actor: v.Actor(), UserId: id, Role: role})
	return httpapi.WriteResult(w, http.StatusOK, toMemberJSON(resp.GetUser()), httpapi.ToAccountsError(err))
}

func (s *API) apiRemoveUser(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "user")
	if err != nil {
		return err
	}
	_, err = s.Accounts.RemoveUser(r.Context(), &keyauthv1.RemoveUserRequest{Actor: v.Actor(), UserId: id})
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}
