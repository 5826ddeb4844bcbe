package grpcapi

import (
	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// AllowedRoles maps each method to the certificate roles that may call it. A proxy can
// verify keys, but not create or list them. Only the operator can bootstrap the
// installation and reset passwords. Only the dashboard can report spend, uses,
// changes of alerts and the events of rollouts.
func AllowedRoles() map[string][]string {
	proxies := []string{certs.Proxy}
	usersAndOperator := []string{certs.Dashboard, certs.Operator}
	return map[string][]string{
		keyauthv1.KeyAuthService_VerifyKey_FullMethodName: proxies,
		keyauthv1.KeyAuthService_WatchKeys_FullMethodName: proxies,

		keyauthv1.AccountService_Bootstrap_FullMethodName:          {certs.Operator},
		keyauthv1.AccountService_ResetPassword_FullMethodName:      {certs.Operator},
		keyauthv1.AccountService_ListAccounts_FullMethodName:       usersAndOperator,
		keyauthv1.AccountService_ReportSpend_FullMethodName:        {certs.Dashboard},
		keyauthv1.AccountService_ReportUse_FullMethodName:          {certs.Dashboard},
		keyauthv1.AccountService_IssuePlaygroundKey_FullMethodName: {certs.Dashboard},
		keyauthv1.AccountService_SignOn_FullMethodName:             {certs.Dashboard},

		keyauthv1.AccountService_GetApiTokenIdentity_FullMethodName: {certs.Dashboard},

		keyauthv1.AccountService_CreateApiToken_FullMethodName: usersAndOperator,
		keyauthv1.AccountService_ListApiTokens_FullMethodName:  usersAndOperator,
		keyauthv1.AccountService_RevokeApiToken_FullMethodName: usersAndOperator,

		keyauthv1.AccountService_GetInstallation_FullMethodName: usersAndOperator,

		keyauthv1.AccountService_Register_FullMethodName:       usersAndOperator,
		keyauthv1.AccountService_CreateInvite_FullMethodName:   usersAndOperator,
		keyauthv1.AccountService_AcceptInvite_FullMethodName:   usersAndOperator,
		keyauthv1.AccountService_Claim_FullMethodName:          usersAndOperator,
		keyauthv1.AccountService_Login_FullMethodName:          usersAndOperator,
		keyauthv1.AccountService_Logout_FullMethodName:         usersAndOperator,
		keyauthv1.AccountService_GetSession_FullMethodName:     usersAndOperator,
		keyauthv1.AccountService_ListSessions_FullMethodName:   usersAndOperator,
		keyauthv1.AccountService_EndSession_FullMethodName:     usersAndOperator,
		keyauthv1.AccountService_GetAccount_FullMethodName:     usersAndOperator,
		keyauthv1.AccountService_UpdateAccount_FullMethodName:  usersAndOperator,
		keyauthv1.AccountService_CreateKey_FullMethodName:      usersAndOperator,
		keyauthv1.AccountService_ListKeys_FullMethodName:       usersAndOperator,
		keyauthv1.AccountService_UpdateKey_FullMethodName:      usersAndOperator,
		keyauthv1.AccountService_RotateKey_FullMethodName:      usersAndOperator,
		keyauthv1.AccountService_RevokeKey_FullMethodName:      usersAndOperator,
		keyauthv1.AccountService_ListBudgets_FullMethodName:    usersAndOperator,
		keyauthv1.AccountService_SetBudget_FullMethodName:      usersAndOperator,
		keyauthv1.AccountService_RemoveBudget_FullMethodName:   usersAndOperator,
		keyauthv1.AccountService_ListUsers_FullMethodName:      usersAndOperator,
		keyauthv1.AccountService_UpdateUser_FullMethodName:     usersAndOperator,
		keyauthv1.AccountService_RemoveUser_FullMethodName:     usersAndOperator,
		keyauthv1.AccountService_ListInvites_FullMethodName:    usersAndOperator,
		keyauthv1.AccountService_RevokeInvite_FullMethodName:   usersAndOperator,
		keyauthv1.AccountService_ChangePassword_FullMethodName: usersAndOperator,
		keyauthv1.AccountService_SetPassword_FullMethodName:    usersAndOperator,
		keyauthv1.AccountService_EndSessions_FullMethodName:    usersAndOperator,
		keyauthv1.AccountService_ListAudit_FullMethodName:      usersAndOperator,

		keyauthv1.AccountService_RotateWebhookSecret_FullMethodName: usersAndOperator,
		keyauthv1.AccountService_TestWebhook_FullMethodName:         usersAndOperator,
		keyauthv1.AccountService_RecordPolicyChange_FullMethodName:  usersAndOperator,
		keyauthv1.AccountService_RecordDrain_FullMethodName:         usersAndOperator,
		keyauthv1.AccountService_RecordAlertChange_FullMethodName:   {certs.Dashboard},
		keyauthv1.AccountService_RecordRolloutEvent_FullMethodName:  {certs.Dashboard},
	}
}
