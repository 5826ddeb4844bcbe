package control

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func toTarget(t decide.Target) *routerv1.Target {
	return &routerv1.Target{Model: t.Model, Provider: t.Provider}
}
