package grpcapi

import (
	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// Allow says which peer may call what, by the role in its certificate. A proxy
// verifies keys and can neither make nor list them;
// what concerns all accounts is the operator's.
func Allow() map[string][]string {
	proxies := []string{certs.Proxy}
	people := []string{certs.Dashboard, certs.Operator}
	return map[string][]string{
		keyauthv1.KeyAuthService_VerifyKey_FullMethodName: proxies,
		keyauthv1.KeyAuthService_WatchKeys_FullMethodName: proxies,

		keyauthv1.AccountService_Bootstrap_FullMethodName:     {certs.Operator},
		keyauthv1.AccountService_ResetPassword_FullMethodName: {certs.Operator},
		keyauthv1.AccountService_ListAccounts_FullMethodName:  people,
		keyauthv1.AccountService_ReportSpend_FullMethodName:   {certs.Dashboard},
		keyauthv1.AccountService_ReportUse_FullMethodName:     {certs.Dashboard},

		keyauthv1.AccountService_Register_FullMethodName:       people,
		keyauthv1.AccountService_CreateInvite_FullMethodName:   people,
		keyauthv1.AccountService_AcceptInvite_FullMethodName:   people,
		keyauthv1.AccountService_Claim_FullMethodName:          people,
		keyauthv1.AccountService_Login_FullMethodName:          people,
		keyauthv1.AccountService_Logout_FullMethodName:         people,
		keyauthv1.AccountService_GetSession_FullMethodName:     people,
		keyauthv1.AccountService_ListSessions_FullMethodName:   people,
		keyauthv1.AccountService_EndSession_FullMethodName:     people,
		keyauthv1.AccountService_GetAccount_FullMethodName:     people,
		keyauthv1.AccountService_UpdateAccount_FullMethodName:  people,
		keyauthv1.AccountService_CreateKey_FullMethodName:      people,
		keyauthv1.AccountService_ListKeys_FullMethodName:       people,
		keyauthv1.AccountService_UpdateKey_FullMethodName:      people,
		keyauthv1.AccountService_RotateKey_FullMethodName:      people,
		keyauthv1.AccountService_RevokeKey_FullMethodName:      people,
		keyauthv1.AccountService_ListUsers_FullMethodName:      people,
		keyauthv1.AccountService_UpdateUser_FullMethodName:     people,
		keyauthv1.AccountService_RemoveUser_FullMethodName:     people,
		keyauthv1.AccountService_ListInvites_FullMethodName:    people,
		keyauthv1.AccountService_RevokeInvite_FullMethodName:   people,
		keyauthv1.AccountService_ChangePassword_FullMethodName: people,
		keyauthv1.AccountService_SetPassword_FullMethodName:    people,
		keyauthv1.AccountService_EndSessions_FullMethodName:    people,
		keyauthv1.AccountService_ListAudit_FullMethodName:      people,

		keyauthv1.AccountService_RotateWebhookSecret_FullMethodName: people,
		keyauthv1.AccountService_TestWebhook_FullMethodName:         people,
	}
}
