package accounts

import (
	"context"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type keyBody struct {
	Name          httpapi.PatchField[string]     `json:"name"`
	Scopes        httpapi.PatchField[[]string]   `json:"scopes"`
	Models        httpapi.PatchField[[]string]   `json:"models"`
	Tags          httpapi.PatchField[[]string]   `json:"tags"`
	MaySwapModel  httpapi.PatchField[bool]       `json:"may_swap_model"`
	BaselineModel httpapi.PatchField[string]     `json:"baseline_model"`
	Capture       httpapi.PatchField[string]     `json:"capture"`
	ErrorFormat   httpapi.PatchField[string]     `json:"error_format"`
	ExpiresAt     httpapi.PatchField[*time.Time] `json:"expires_at"`
	User          httpapi.PatchField[string]     `json:"user"`
	Agent         httpapi.PatchField[string]     `json:"agent"`
	Limits        httpapi.PatchField[limitsBody] `json:"limits"`
	Budget        httpapi.PatchField[budgetBody] `json:"budget"`
}

// toSettings returns the given settings and their field names. The names cover only
// fields that were sent, also within nested objects. Thus concurrent changes of
// different settings do not undo each other.
func (b *keyBody) toSettings() (*keyauthv1.KeySettings, []string, error) {
	capture, err := jsonvalue.Captures.ParseOptional("capture", b.Capture.Value)
	if err != nil {
		return nil, nil, err
	}
	format, err := jsonvalue.ErrorFormats.ParseOptional("error_format", b.ErrorFormat.Value)
	if err != nil {
		return nil, nil, err
	}
	mask, err := b.buildMask()
	if err != nil {
		return nil, nil, err
	}
	settings := &keyauthv1.KeySettings{
		Name: b.Name.Value, Scopes: b.Scopes.Value, Models: b.Models.Value, Tags: b.Tags.Value,
		MaySwapModel: b.MaySwapModel.Value, BaselineModel: b.BaselineModel.Value, Capture: capture, ErrorFormat: format,
		ExpiresAt: toTimestamp(b.ExpiresAt.Value), Limits: toLimits(&b.Limits.Value, &b.Budget.Value),
		User: b.User.Value, Agent: b.Agent.Value,
	}
	return settings, mask, nil
}

// buildMask lists the given settings by keyauth's field names.
func (b *keyBody) buildMask() (paths []string, err error) {
	for _, f := range []struct {
		given bool
		name  string
	}{
		{b.Name.Given, "name"},
		{b.Scopes.Given, "scopes"},
		{b.Models.Given, "models"},
		{b.Tags.Given, "tags"},
		{b.MaySwapModel.Given, "may_swap_model"},
		{b.BaselineModel.Given, "baseline_model"},
		{b.Capture.Given, "capture"},
		{b.ErrorFormat.Given, "error_format"},
		{b.ExpiresAt.Given, "expires_at"},
		{b.User.Given, "user"},
		{b.Agent.Given, "agent"},
	} {
		if f.given {
			paths = append(paths, f.name)
		}
	}
	limits, err := buildLimitMask("limits", b.Limits.Null, b.Limits.Value.listLimits())
	if err != nil {
		return nil, err
	}
	budget, err := buildLimitMask("budget", b.Budget.Null, b.Budget.Value.listLimits())
	return slices.Concat(paths, limits, budget), err
}

func toTimestamp(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}

func (s *API) listKeys(ctx context.Context, v *access.Viewer) ([]*keyauthv1.Key, error) {
	resp, err := s.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: v.Actor()})
	return resp.GetKeys(), httpapi.ToAccountsError(err)
}

func (s *API) createKey(ctx context.Context, v *access.Viewer, b *keyBody) (*keyauthv1.Key, string, error) {
	settings, _, err := b.toSettings()
	if err != nil {
		return nil, "", err
	}
	resp, err := s.Accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: v.Actor(), Settings: settings})
	return resp.GetKey(), resp.GetSecret(), toBodyError(err, "budget")
}

func (s *API) updateKey(ctx context.Context, v *access.Viewer, id string, b *keyBody) (*keyauthv1.Key, error) {
	settings, mask, err := b.toSettings()
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: v.Actor(), KeyId: id, Settings: settings, Mask: &fieldmaskpb.FieldMask{Paths: mask},
	})
	return resp.GetKey(), toBodyError(err, "budget")
}
