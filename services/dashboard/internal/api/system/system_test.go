package system

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// away implements a ledger and a carrier that are unavailable.
type away struct{}

func (away) StorageInfo(context.Context) (record.StorageInfo, error) {
	return record.StorageInfo{}, errors.New("dial 192.0.2.1: secret")
}

func (away) Check(context.Context) error { return errors.New("dial 192.0.2.1: secret") }

// TestSystemReportsUnavailableParts also checks that no addresses are shown.
func TestSystemReportsUnavailableParts(t *testing.T) {
	conn, err := grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return nil, errors.New("secret") }))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	s := &API{
		Accounts: keyauthv1.NewAccountServiceClient(conn), Router: routerv1.NewRouterServiceClient(conn),
		Storage: away{}, Carrier: away{}, Retention: Retention{Records: 400},
	}
	out := httptest.NewRecorder()
	require.NoError(t, s.apiGetSystem(out, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), &access.Viewer{}))
	require.NotContains(t, out.Body.String(), "secret")
	require.NotContains(t, out.Body.String(), "192.0.2.1")
	var got systemJSON
	require.NoError(t, json.Unmarshal(out.Body.Bytes(), &got))
	require.Nil(t, got.Ledger)
	require.EqualValues(t, 400, *got.Retention.RecordDays)
	require.Nil(t, got.Retention.ContentDays)
	codes := map[string]string{}
	for _, p := range got.Parts {
		require.False(t, p.OK, p.Name)
		require.NotEmpty(t, *p.Error)
		codes[p.Name] = *p.Code
	}
	require.Equal(t, map[string]string{
		"ledger": "INTERNAL_ERROR", "router": "ROUTING_UNAVAILABLE", "keyauth": "AUTH_UNAVAILABLE", "carrier": "STORE_UNAVAILABLE",
	}, codes)
}
