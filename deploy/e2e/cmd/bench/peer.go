package main

import "context"

// The names of the peers.
const (
	nameDirect   = "direct"
	nameForward  = "go-reverseproxy"
	nameNginx    = "nginx"
	nameExplicit = "explicit"
	nameOrdered  = "ordered"
	nameAuto     = "auto"
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
	box *signalbox
}

// allPeers returns the peers. Every round measures all of them in turn, so that a
// disturbance affects all peers equally.
func (b *bench) allPeers() []peer {
	return []peer{
		{name: nameDirect, chat: modelChat, embed: modelEmbed, start: b.startDirect},
		{name: nameNginx, chat: modelChat, embed: modelEmbed, start: b.startNginxPeer},
		{name: nameForward, chat: modelChat, embed: modelEmbed, mayFail: true, start: b.startForward},
		{name: nameExplicit, chat: modelChat, embed: modelEmbed, ours: true, start: b.startGateway},
		{name: nameNone, chat: modelChat, embed: modelEmbed, header: "X-Signalbox-Capture: none\r\n", ours: true, start: b.startGateway},
		{name: nameOrdered, chat: nameOrdered, embed: modelEmbed, ours: true, start: b.startGateway},
		{name: nameAuto, chat: "auto", embed: "auto", ours: true, start: b.startGateway},
	}
}

func (b *bench) startDirect(context.Context) (*target, error) {
	return &target{address: b.upstream.address, path: "/v1", pid: b.upstream.pid(), stop: func() {}}, nil
}

func (b *bench) startForward(ctx context.Context) (*target, error) {
	c, err := startSelf(ctx, nil, roleForward, b.upstream.address)
	if err != nil {
		return nil, err
	}
	return &target{address: c.address, path: "/v1", pid: c.pid(), stop: c.stop}, nil
}

func (b *bench) startNginxPeer(ctx context.Context) (*target, error) {
	n, err := startNginx(ctx, b.upstream.address)
	if err != nil {
		return nil, err
	}
	return &target{address: n.address, path: "/v1", pid: n.pid(), stop: n.stop}, nil
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
		address: b.box.edge, path: "/proxy/v1", key: b.box.key,
		pid: b.box.proxy, others: b.box.others, stop: func() {}, box: b.box,
	}, nil
}

func (b *bench) startBox(ctx context.Context) (*signalbox, error) {
	if b.split != "" {
		return startSplit(ctx, b.split, b.bin, b.upstream.address, 1)
	}
	return startAllInOne(ctx, b.bin, b.upstream.address)
}
