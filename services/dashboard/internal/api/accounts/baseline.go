package accounts

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// checkBaselineModel rejects a baseline model that is not a chat model of the
// active policy, because no request could be compared with it.
func (s *API) checkBaselineModel(ctx context.Context, model httpapi.PatchField[string]) error {
	if model.Value == "" {
		return nil
	}
	p, err := s.Policy.ActivePolicy(ctx)
	if err != nil {
		return err
	}
	m, ok := p.Model(model.Value)
	if !ok {
		m, ok = p.ModelByAlias(model.Value)
	}
	if ok && m.Kind == catalog.Chat {
		return nil
	}
	invalid := httpapi.InvalidParam("baseline_model", fmt.Sprintf("the active policy has no chat model %q", model.Value))
	var chatModels []string
	for i := range p.Models {
		if p.Models[i].Kind == catalog.Chat {
			chatModels = append(chatModels, p.Models[i].ID)
		}
	}
	if near := policy.NearestName(model.Value, chatModels); near != "" {
		invalid = invalid.With("did_you_mean", near)
	}
	return invalid
}
