package compare

import (
	"context"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
)

// The names of the peers.
const (
	nameDirect   = "direct"
	nameForward  = "go-reverseproxy"
	nameNginx    = "nginx"
	nameExplicit = "explicit"
	nameOrdered  = rig.RouteOrdered
	nameAuto     = rig.RouteAuto
	// nameNone is a request whose text is not stored.
	nameNone = "explicit-none"
)

// peer is a system under load.
type peer struct {
	name string
	// chat and embed are the requested models.
	chat, embed string
	// header is a line that every request has in addition.
	header string
	// ours is set for Signalbox.
	ours bool
	// mayFail means that failed requests do not fail the run.
	mayFail bool
	start   func(ctx context.Context) (*target, error)
}

// target is a running peer.
type target struct {
	address, path, key string
	// pid is the process whose cost is measured, with its children. For the direct
	// peer, it is the upstream.
	pid int
	// others are the processes that work for pid. Their cost is shown separately.
	others map[string]int
	stop   func()
	// box is set for Signalbox.
	box *rig.Box
}

// allPeers returns the peers. Every round measures all of them in turn, so that a
// disturbance affects all peers equally.
func (b *bench) allPeers() []peer {
	return []peer{
		{name: nameDirect, chat: rig.ModelChat, embed: rig.ModelEmbed, start: b.startDirect},
		{name: nameNginx, chat: rig.ModelChat, embed: rig.ModelEmbed, start: b.startNginxPeer},
		{name: nameForward, chat: rig.ModelChat, embed: rig.ModelEmbed, mayFail: true, start: b.startForward},
		{name: nameExplicit, chat: rig.ModelChat, embed: rig.ModelEmbed, ours: true, start: b.startGateway},
		{name: nameNone, chat: rig.ModelChat, embed: rig.ModelEmbed, header: "X-Signalbox-Capture: none\r\n", ours: true, start: b.startGateway},
		{name: nameOrdered, chat: rig.RouteOrdered, embed: rig.ModelEmbed, ours: true, start: b.startGateway},
		{name: nameAuto, chat: rig.RouteAuto, embed: rig.RouteAuto, ours: true, start: b.startGateway},
	}
}

func (b *bench) startDirect(context.Context) (*target, error) {
	return &target{address: b.upstream.Address, path: "/v1", pid: b.upstream.PID(), stop: func() {}}, nil
}

func (b *bench) startForward(ctx context.Context) (*target, error) {
	c, err := rig.StartSelf(ctx, nil, rig.RoleForward, b.upstream.Address)
	if err != nil {
		return nil, err
	}
	return &target{address: c.Address, path: "/v1", pid: c.PID(), stop: c.Stop}, nil
}

func (b *bench) startNginxPeer(ctx context.Context) (*target, error) {
	n, err := startNginx(ctx, b.upstream.Address)
	if err != nil {
		return nil, err
	}
	return &target{address: n.Address, path: "/v1", pid: n.PID(), stop: n.Stop}, nil
}

// startGateway returns the running gateway, or starts one.
func (b *bench) startGateway(ctx context.Context) (*target, error) {
	if b.box == nil {
		box, err := b.startBox(ctx)
		if err != nil {
			return nil, err
		}
		b.box = box
	}
	return &target{
		address: b.box.Edge, path: "/proxy/v1", key: b.box.Key,
		pid: b.box.Proxy, others: b.box.Others, stop: func() {}, box: b.box,
	}, nil
}

func (b *bench) startBox(ctx context.Context) (*rig.Box, error) {
	if b.split != "" {
		return rig.StartSplit(ctx, b.split, b.bin, b.upstream.Address, 1)
	}
	return rig.StartAllInOne(ctx, b.bin, b.upstream.Address)
}
