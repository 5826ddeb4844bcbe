package control

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func toCandidate(t decide.Candidate) *routerv1.Candidate {
	return &routerv1.Candidate{Model: t.Model, Provider: t.Provider}
}
