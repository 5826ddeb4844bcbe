package keyauth_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth"
)

// The dashboard acts for users: its call without a user must not count as a call
// of the operator, whatever account it names.
func TestOnlyTheOperatorNamesNoUser(t *testing.T) {
	dir, lis, _ := secured(t, keyauth.Config{Data: t.TempDir()})
	all, err := keyauthv1.NewAccountServiceClient(dial(t, dir, certs.Operator, lis)).ListAccounts(t.Context(), &keyauthv1.ListAccountsRequest{})
	require.NoError(t, err)
	actor := &keyauthv1.Actor{AccountId: all.GetAccounts()[0].GetId()}
	calls := func(role string) []error {
		c := keyauthv1.NewAccountServiceClient(dial(t, dir, role, lis))
		_, create := c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: actor, Settings: &keyauthv1.KeySettings{Name: "n"}})
		_, list := c.ListKeys(t.Context(), &keyauthv1.ListKeysRequest{Actor: actor})
		_, accounts := c.ListAccounts(t.Context(), &keyauthv1.ListAccountsRequest{})
		_, update := c.UpdateAccount(t.Context(), &keyauthv1.UpdateAccountRequest{
			Actor: actor, Account: &keyauthv1.Account{ContentDays: 9}, Mask: &fieldmaskpb.FieldMask{Paths: []string{"content_days"}},
		})
		return []error{create, list, accounts, update}
	}
	for _, err := range calls(certs.Operator) {
		require.NoError(t, err)
	}
	for _, err := range calls(certs.Dashboard) {
		require.Equal(t, apperr.NotFound, apperr.CodeOf(err), err)
	}

	// The dashboard may read the retention of content without a user.
	got, err := keyauthv1.NewAccountServiceClient(dial(t, dir, certs.Dashboard, lis)).GetAccount(t.Context(), &keyauthv1.GetAccountRequest{Actor: actor})
	require.NoError(t, err)
	require.Equal(t, actor.GetAccountId(), got.GetAccount().GetId())
	require.EqualValues(t, 9, got.GetAccount().GetContentDays())
	require.Empty(t, got.GetAccount().GetName(), "no more than it needs")
	require.Nil(t, got.GetAccount().GetCreatedAt())
	_, err = keyauthv1.NewAccountServiceClient(dial(t, dir, certs.Proxy, lis)).GetAccount(t.Context(), &keyauthv1.GetAccountRequest{Actor: actor})
	require.Equal(t, apperr.AuthForbidden, apperr.CodeOf(err), err)
}
