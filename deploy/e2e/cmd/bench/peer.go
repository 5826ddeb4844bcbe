package main

import "context"

// The peers, as they are chosen and shown.
const (
	nameDirect   = "direct"
	nameForward  = "go-reverseproxy"
	nameNginx    = "nginx"
	nameExplicit = "explicit"
	nameOrdered  = "ordered"
	nameAuto     = "auto"
)

// peer is what a load is put on.
type peer struct {
	name string
	// chat and embed are the models that are asked for.
	chat, embed string
	// ours is set for the gateway.
	ours bool
	// forgiven peers may fail requests.
	forgiven bool
	start    func(ctx context.Context) (*target, error)
}

// target is a running peer.
type target struct {
	address, path, key string
	// pid is the process whose cost counts, with its children; for direct it is
	// the upstream's.
	pid int
	// others are the processes that work for it: their cost is shown beside.
	others map[string]int
	stop   func()
	// box is set for the gateway.
	box *signalbox
}

// allPeers are measured one after the other, all of them in every round, so
// that a disturbance hits each alike.
func (b *bench) allPeers() []peer {
	return []peer{
		{name: nameDirect, chat: modelChat, embed: modelEmbed, start: b.direct},
		{name: nameNginx, chat: modelChat, embed: modelEmbed, start: b.nginx},
		{name: nameForward, chat: modelChat, embed: modelEmbed, forgiven: true, start: b.forward},
		{name: nameExplicit, chat: modelChat, embed: modelEmbed, ours: true, start: b.gateway},
		{name: nameOrdered, chat: nameOrdered, embed: modelEmbed, ours: true, start: b.gateway},
		{name: nameAuto, chat: "auto", embed: "auto", ours: true, start: b.gateway},
	}
}

func (b *bench) direct(context.Context) (*target, error) {
	return &target{address: b.upstream.address, path: "/v1", pid: b.upstream.pid(), stop: func() {}}, nil
}

func (b *bench) forward(ctx context.Context) (*target, error) {
	c, err := startSelf(ctx, nil, roleForward, b.upstream.address)
	if err != nil {
		return nil, err
	}
	return &target{address: c.address, path: "/v1", pid: c.pid(), stop: c.stop}, nil
}

func (b *bench) nginx(ctx context.Context) (*target, error) {
	n, err := startNginx(ctx, b.upstream.address)
	if err != nil {
		return nil, err
	}
	return &target{address: n.address, path: "/v1", pid: n.pid(), stop: n.stop}, nil
}

// gateway is the one that runs already, or a new one.
func (b *bench) gateway(ctx context.Context) (*target, error) {
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
