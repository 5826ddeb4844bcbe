package access

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func newViewer(operator bool, role keyauthv1.Role) *Viewer {
	return NewViewer(&keyauthv1.Identity{
		Account: &keyauthv1.Account{Id: "acc", Operator: operator}, User: &keyauthv1.User{Id: "user", Role: role},
	})
}

// Each kind of route admits its users and no others. A handler runs only after the check.
func TestRoutesAdmitTheirUsersOnly(t *testing.T) {
	viewer, member, owner := keyauthv1.Role_ROLE_VIEWER, keyauthv1.Role_ROLE_MEMBER, keyauthv1.Role_ROLE_OWNER
	ran := false
	handler := func(http.ResponseWriter, *http.Request, *Viewer) error { ran = true; return nil }
	for name, c := range map[string]struct {
		route                                          Route
		viewer, member, owner, operator, operatorOwner bool
	}{
		"signed in":      {SignedIn("GET", "/", handler), true, true, true, true, true},
		"member":         {Member("GET", "/", handler), false, true, true, true, true},
		"owner":          {Owner("GET", "/", handler), false, false, true, false, true},
		"operator":       {Operator("GET", "/", handler), false, false, false, true, true},
		"operator owner": {OperatorOwner("GET", "/", handler), false, false, false, false, true},
	} {
		admits := func(v *Viewer) bool {
			ran = false
			err := c.route.Action(func(*http.Request) (*Viewer, error) { return v, nil })(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			if !ran {
				require.Equal(t, apperr.AuthForbidden, apperr.CodeOf(err), name)
			}
			return ran
		}
		require.Equal(t, c.viewer, admits(newViewer(false, viewer)), name)
		require.Equal(t, c.member, admits(newViewer(false, member)), name)
		require.Equal(t, c.owner, admits(newViewer(false, owner)), name)
		require.Equal(t, c.operator, admits(newViewer(true, member)), name)
		require.Equal(t, c.operatorOwner, admits(newViewer(true, owner)), name)

		ran = false
		noSession := errors.New("no session")
		err := c.route.Action(func(*http.Request) (*Viewer, error) { return nil, noSession })(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		require.ErrorIs(t, err, noSession, name)
		require.False(t, ran, name)
	}
}
