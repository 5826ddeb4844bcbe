package web

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// knownModel refuses a default model that the policy in force does not have:
// no request could be compared with it.
func (s *server) knownModel(ctx context.Context, model field[string]) error {
	if model.Value == "" {
		return nil
	}
	p, err := s.activePolicy(ctx)
	if err != nil {
		return err
	}
	m, ok := p.Model(model.Value)
	if !ok {
		m, ok = p.Alias(model.Value)
	}
	if ok && m.Kind == catalog.Chat {
		return nil
	}
	refusal := badParam("baseline_model", fmt.Sprintf("the policy has no model %q that chats", model.Value))
	var known []string
	for i := range p.Models {
		if p.Models[i].Kind == catalog.Chat {
			known = append(known, p.Models[i].ID)
		}
	}
	if near := policy.Nearest(model.Value, known); near != "" {
		refusal = refusal.With("did_you_mean", near)
	}
	return refusal
}
