package web

import (
	"context"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

type keyBody struct {
	Name          patchField[string]     `json:"name"`
	Scopes        patchField[[]string]   `json:"scopes"`
	Models        patchField[[]string]   `json:"models"`
	Tags          patchField[[]string]   `json:"tags"`
	MaySwapModel  patchField[bool]       `json:"may_swap_model"`
	BaselineModel patchField[string]     `json:"baseline_model"`
	Capture       patchField[string]     `json:"capture"`
	ErrorFormat   patchField[string]     `json:"error_format"`
	ExpiresAt     patchField[*time.Time] `json:"expires_at"`
	Limits        patchField[limitsBody] `json:"limits"`
	Budget        patchField[budgetBody] `json:"budget"`
}

// toSettings returns the given settings and their field names. The names cover only
// fields that were sent, also within nested objects. Thus concurrent changes of
// different settings do not undo each other.
func (b *keyBody) toSettings() (*keyauthv1.KeySettings, []string, error) {
	capture, err := captures.parseOptional("capture", b.Capture.Value)
	if err != nil {
		return nil, nil, err
	}
	format, err := errorFormats.parseOptional("error_format", b.ErrorFormat.Value)
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

func (s *server) listKeys(ctx context.Context, v *viewer) ([]*keyauthv1.Key, error) {
	resp, err := s.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: v.actor()})
	return resp.GetKeys(), toAccountsError(err)
}

func (s *server) createKey(ctx context.Context, v *viewer, b *keyBody) (*keyauthv1.Key, string, error) {
	settings, _, err := b.toSettings()
	if err != nil {
		return nil, "", err
	}
	resp, err := s.Accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: v.actor(), Settings: settings})
	return resp.GetKey(), resp.GetSecret(), toBodyError(err, "budget")
}

func (s *server) updateKey(ctx context.Context, v *viewer, id string, b *keyBody) (*keyauthv1.Key, error) {
	settings, mask, err := b.toSettings()
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: v.actor(), KeyId: id, Settings: settings, Mask: &fieldmaskpb.FieldMask{Paths: mask},
	})
	return resp.GetKey(), toBodyError(err, "budget")
}

func (s *server) revokeKey(ctx context.Context, v *viewer, id string) (*keyauthv1.Key, error) {
	resp, err := s.Accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: v.actor(), KeyId: id})
	return resp.GetKey(), toAccountsError(err)
}

// parsePathID returns the id from the URL. An id that is not valid UTF-8 cannot
// exist, and gRPC could not send it.
func parsePathID(r *http.Request, what string) (string, error) {
	id := r.PathValue("id")
	if !utf8.ValidString(id) {
		return "", notFoundError(what)
	}
	return id, nil
}
