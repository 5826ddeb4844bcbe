package grpcapi

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

var (
	captures = map[setting.Capture]keyauthv1.Capture{
		setting.CaptureFull:     keyauthv1.Capture_CAPTURE_FULL,
		setting.CaptureRedacted: keyauthv1.Capture_CAPTURE_REDACTED,
		setting.CaptureNone:     keyauthv1.Capture_CAPTURE_NONE,
	}
	formats = map[setting.ErrorFormat]keyauthv1.ErrorFormat{
		setting.FormatFlat:   keyauthv1.ErrorFormat_ERROR_FORMAT_FLAT,
		setting.FormatOpenAI: keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI,
	}
	roles = map[access.Role]keyauthv1.Role{
		access.Viewer: keyauthv1.Role_ROLE_VIEWER,
		access.Member: keyauthv1.Role_ROLE_MEMBER,
		access.Owner:  keyauthv1.Role_ROLE_OWNER,
	}
	states = map[keyring.State]keyauthv1.KeyState{
		keyring.Active:  keyauthv1.KeyState_KEY_STATE_ACTIVE,
		keyring.Revoked: keyauthv1.KeyState_KEY_STATE_REVOKED,
		keyring.Expired: keyauthv1.KeyState_KEY_STATE_EXPIRED,
	}
)

// unknownEnum replaces an enum value that only a newer caller defines. The domain
// rejects it as invalid, and its error contains the name of the parameter.
const unknownEnum = "unknown"

// fromEnum returns the domain value of v. For the unspecified value, 0, it returns an empty string.
func fromEnum[D ~string, P interface {
	comparable
	~int32
}](table map[D]P, v P) D {
	if v == 0 {
		return ""
	}
	for d, p := range table {
		if p == v {
			return d
		}
	}
	return unknownEnum
}

func roleFromProto(r keyauthv1.Role) access.Role { return fromEnum(roles, r) }

// noUserID is no valid id, so the domain finds no user with it.
const noUserID = "nobody"

// actorFromProto returns the actor of a request. Only the operator and callers in the
// same process may act without a user. An actor without a user has all permissions, so
// other callers get noUserID instead.
func actorFromProto(ctx context.Context, req interface{ GetActor() *keyauthv1.Actor }) access.Actor {
	a := req.GetActor()
	actor := access.Actor{AccountID: a.GetAccountId(), UserID: a.GetUserId()}
	if role := rpc.CallerRole(ctx); actor.UserID == "" && role != "" && role != certs.Operator {
		actor.UserID = noUserID
	}
	return actor
}

// readerFromProto returns the actor of GetAccount, which also allows calls without a
// user. The dashboard reads the retention setting of an account this way.
func readerFromProto(req interface{ GetActor() *keyauthv1.Actor }) access.Actor {
	return access.Actor{AccountID: req.GetActor().GetAccountId(), UserID: req.GetActor().GetUserId()}
}

func signInFromProto(req interface {
	GetEmail() string
	GetPassword() string
	GetClient() string
}) account.SignInRequest {
	return account.SignInRequest{Email: req.GetEmail(), Password: req.GetPassword(), Client: req.GetClient()}
}

func accountFromProto(a *keyauthv1.Account) access.Account {
	return access.Account{
		Name: a.GetName(), BaselineModel: a.GetBaselineModel(),
		Capture: fromEnum(captures, a.GetCapture()), ContentDays: a.GetContentDays(),
		Limits: limitsFromProto(a.GetLimits()), WebhookURL: a.GetWebhookUrl(), AllowExperiments: a.GetAllowExperiments(),
	}
}

func accountToProto(a access.Account) *keyauthv1.Account {
	return &keyauthv1.Account{
		Id: a.ID, Name: a.Name, BaselineModel: a.BaselineModel, Capture: captures[a.Capture],
		ContentDays: a.ContentDays, CreatedAt: timeToProto(a.CreatedAt), Operator: a.Operator,
		Limits: limitsToProto(a.Limits), WebhookUrl: a.WebhookURL, WebhookSigned: a.WebhookSigned(),
		AllowExperiments: a.AllowExperiments,
	}
}

func redactedAccountToProto(a access.Account) *keyauthv1.Account {
	return accountToProto(a.WithoutWebhookPath())
}

func settingsFromProto(s *keyauthv1.KeySettings) (setting.Key, error) {
	expires, err := expiryFromProto(s.GetExpiresAt())
	return setting.Key{
		Name: s.GetName(), Scopes: s.GetScopes(), Models: s.GetModels(), Tags: s.GetTags(),
		MaySwapModel: s.GetMaySwapModel(), BaselineModel: s.GetBaselineModel(),
		Capture: fromEnum(captures, s.GetCapture()), ErrorFormat: fromEnum(formats, s.GetErrorFormat()),
		ExpiresAt: expires,
		Limits:    limitsFromProto(s.GetLimits()),
		User:      s.GetUser(), Agent: s.GetAgent(),
	}, err
}

func settingsToProto(s setting.Key) *keyauthv1.KeySettings {
	return &keyauthv1.KeySettings{
		Name: s.Name, Scopes: s.Scopes, Models: s.Models, Tags: s.Tags, MaySwapModel: s.MaySwapModel,
		BaselineModel: s.BaselineModel, Capture: captures[s.Capture], ErrorFormat: formats[s.ErrorFormat],
		ExpiresAt: timeToProto(s.ExpiresAt), Limits: limitsToProto(s.Limits), User: s.User, Agent: s.Agent,
	}
}

func limitsFromProto(l *keyauthv1.Limits) setting.Limits {
	return setting.Limits{
		RequestsPerMinute: l.GetRequestsPerMinute(), TokensPerMinute: l.GetTokensPerMinute(),
		ConcurrentRequests: l.GetConcurrentRequests(),
		NanoUSDPerDay:      l.GetNanoUsdPerDay(), NanoUSDPerMonth: l.GetNanoUsdPerMonth(),
	}
}

func limitsToProto(l setting.Limits) *keyauthv1.Limits {
	if l == (setting.Limits{}) {
		return nil
	}
	return &keyauthv1.Limits{
		RequestsPerMinute: l.RequestsPerMinute, TokensPerMinute: l.TokensPerMinute,
		ConcurrentRequests: l.ConcurrentRequests, NanoUsdPerDay: l.NanoUSDPerDay, NanoUsdPerMonth: l.NanoUSDPerMonth,
	}
}

func keyToProto(k keyring.Key) *keyauthv1.Key {
	return &keyauthv1.Key{
		Id: k.ID, Prefix: k.Prefix, Settings: settingsToProto(k.Settings), State: states[k.State(time.Now())],
		CreatedAt: timeToProto(k.CreatedAt), RevokedAt: timeToProto(k.RevokedAt), ReplacedBy: k.ReplacedBy,
		LastUsedAt: timeToProto(k.LastUsedAt), LastUsedFrom: k.LastUsedFrom,
	}
}

func principalToProto(p keyring.Principal) *keyauthv1.Principal {
	return &keyauthv1.Principal{
		AccountId: p.AccountID, KeyId: p.KeyID, State: states[p.State],
		Settings: settingsToProto(p.Settings), Version: p.Version, AccountLimits: limitsToProto(p.AccountLimits),
		AllowExperiments: p.AllowExperiments, Budgets: mapSlice(p.Budgets, budgetToProto),
	}
}

func timeToProto(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// expiryFromProto rejects times at or before the Unix epoch. Some clients send the epoch
// for an unset time. Go's zero time would mean that the key never expires.
func expiryFromProto(t *timestamppb.Timestamp) (time.Time, error) {
	if t == nil {
		return time.Time{}, nil
	}
	if err := t.CheckValid(); err != nil || !t.AsTime().After(time.Unix(0, 0)) {
		return time.Time{}, apperr.New(apperr.InvalidRequest, "the expiry must be in the future").With("param", "expires_at").WithCause(err)
	}
	return t.AsTime(), nil
}

func mapSlice[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
