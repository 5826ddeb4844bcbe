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

// keyBody is what an account holder may say about a key.
type keyBody struct {
	Name          field[string]     `json:"name"`
	Scopes        field[[]string]   `json:"scopes"`
	Models        field[[]string]   `json:"models"`
	Tags          field[[]string]   `json:"tags"`
	MaySwapModel  field[bool]       `json:"may_swap_model"`
	BaselineModel field[string]     `json:"baseline_model"`
	Capture       field[string]     `json:"capture"`
	ErrorFormat   field[string]     `json:"error_format"`
	ExpiresAt     field[*time.Time] `json:"expires_at"`
	Limits        field[limitsBody] `json:"limits"`
	Budget        field[budgetBody] `json:"budget"`
}

// settings are those that were sent, and their names. What was not sent is not
// named, not even beside what was in the same object: callers who change
// different things at once do not undo each other.
func (b *keyBody) settings() (*keyauthv1.KeySettings, []string, error) {
	capture, err := captures.number("capture", b.Capture.Value)
	if err != nil {
		return nil, nil, err
	}
	format, err := errorFormats.number("error_format", b.ErrorFormat.Value)
	if err != nil {
		return nil, nil, err
	}
	mask, err := b.mask()
	if err != nil {
		return nil, nil, err
	}
	settings := &keyauthv1.KeySettings{
		Name: b.Name.Value, Scopes: b.Scopes.Value, Models: b.Models.Value, Tags: b.Tags.Value,
		MaySwapModel: b.MaySwapModel.Value, BaselineModel: b.BaselineModel.Value, Capture: capture, ErrorFormat: format,
		ExpiresAt: stamp(b.ExpiresAt.Value), Limits: limitsOf(&b.Limits.Value, &b.Budget.Value),
	}
	return settings, mask, nil
}

// mask names what was sent, in the words of the account service.
func (b *keyBody) mask() (paths []string, err error) {
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
	limits, err := limitMask("limits", b.Limits.Null, b.Limits.Value.all())
	if err != nil {
		return nil, err
	}
	budget, err := limitMask("budget", b.Budget.Null, b.Budget.Value.all())
	return slices.Concat(paths, limits, budget), err
}

func stamp(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}

func (s *server) listKeys(ctx context.Context, v *viewer) ([]*keyauthv1.Key, error) {
	resp, err := s.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: v.actor()})
	return resp.GetKeys(), peer(err)
}

func (s *server) createKey(ctx context.Context, v *viewer, b *keyBody) (*keyauthv1.Key, string, error) {
	settings, _, err := b.settings()
	if err != nil {
		return nil, "", err
	}
	resp, err := s.Accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: v.actor(), Settings: settings})
	return resp.GetKey(), resp.GetSecret(), asSent(err, "budget")
}

func (s *server) updateKey(ctx context.Context, v *viewer, id string, b *keyBody) (*keyauthv1.Key, error) {
	settings, mask, err := b.settings()
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: v.actor(), KeyId: id, Settings: settings, Mask: &fieldmaskpb.FieldMask{Paths: mask},
	})
	return resp.GetKey(), asSent(err, "budget")
}

func (s *server) revokeKey(ctx context.Context, v *viewer, id string) (*keyauthv1.Key, error) {
	resp, err := s.Accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: v.actor(), KeyId: id})
	return resp.GetKey(), peer(err)
}

// pathID is the id in the address. One that cannot be sent on cannot exist.
func pathID(r *http.Request, what string) (string, error) {
	id := r.PathValue("id")
	if !utf8.ValidString(id) {
		return "", notFound(what)
	}
	return id, nil
}
