package playground

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
)

func userWith(role keyauthv1.Role) *access.Viewer {
	return access.NewViewer(&keyauthv1.Identity{
		Account: &keyauthv1.Account{Id: "acc"}, User: &keyauthv1.User{Id: "user", Role: role},
	})
}

// A run ends soon after its user may no longer use the playground. An unavailable keyauth does
// not end it.
func TestARunEndsWhenItsUserMayNotRunIt(t *testing.T) {
	member, viewer := keyauthv1.Role_ROLE_MEMBER, keyauthv1.Role_ROLE_VIEWER
	for name, now := range map[string]func() (*access.Viewer, error){
		"demoted":    func() (*access.Viewer, error) { return userWith(viewer), nil },
		"signed out": func() (*access.Viewer, error) { return nil, apperr.New(apperr.SessionRequired, "sign in") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answered, cancelled, checks := make(chan struct{}), make(chan struct{}), atomic.Int64{}
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, "data: first\n\n")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				close(cancelled)
			}))
			t.Cleanup(proxy.Close)
			target, err := url.Parse(proxy.URL)
			require.NoError(t, err)
			s := &API{Proxy: http.DefaultTransport, ProxyURL: target, CheckInterval: time.Millisecond}
			s.keys.store("acc user", &keyauthv1.IssuePlaygroundKeyResponse{Secret: "x", RefreshAt: timestamppb.New(time.Now().Add(time.Hour))})
			s.Authenticate = func(*http.Request) (*access.Viewer, error) {
				switch n := checks.Add(1); {
				case n < 5:
					return userWith(member), nil
				case n < 10:
					return nil, apperr.New(apperr.AuthUnavailable, "away")
				}
				<-answered // else the run could end before the proxy is called
				return now()
			}
			browser := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = s.apiRun(w, r, userWith(member))
			}))
			t.Cleanup(browser.Close)
			res, err := http.Post(browser.URL, "application/json", strings.NewReader(`{"body":{"model":"auto"}}`)) //nolint:noctx // the test has a deadline
			require.NoError(t, err)
			defer func() { _ = res.Body.Close() }()
			close(answered)
			_, err = io.ReadAll(res.Body)
			require.Error(t, err, "the browser notices that the response is not complete")
			<-cancelled
			require.GreaterOrEqual(t, checks.Load(), int64(10))
		})
	}
}
