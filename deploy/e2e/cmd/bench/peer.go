package main

import (
	"context"
)

// The peers, as the tables name them.
const (
	nameDirect   = "direct"
	nameForward  = "go-reverseproxy"
	nameExplicit = "signalbox explicit"
	nameAuto     = "signalbox auto"
)

// peer is what a load is put on.
type peer struct {
	name  string
	model string
	// forgiven peers may fail requests.
	forgiven bool
	start    func(ctx context.Context) (*target, error)
}

// target is a running peer.
type target struct {
	address, path, key string
	// pid is the process whose cost counts; for direct it is the upstream's.
	pid  int
	stop func()
	// box is set for signalbox.
	box *signalbox
}

// peers are measured one after the other, all of them in every round, so that
// a disturbance hits each alike.
func (b *bench) peers() []peer {
	return []peer{
		{name: nameDirect, model: modelName, start: b.direct},
		{name: nameForward, model: modelName, forgiven: true, start: b.forward},
		{name: nameExplicit, model: modelName, start: b.signalbox},
		{name: nameAuto, model: "auto", start: b.signalbox},
	}
}

func (b *bench) direct(context.Context) (*target, error) {
	return &target{address: b.upstream.address, path: "/v1", pid: b.upstream.pid(), stop: func() {}}, nil
}

func (b *bench) forward(ctx context.Context) (*target, error) {
	c, err := startSelf(ctx, roleForward, b.upstream.address)
	if err != nil {
		return nil, err
	}
	return &target{address: c.address, path: "/v1", pid: c.pid(), stop: c.stop}, nil
}

func (b *bench) signalbox(ctx context.Context) (*target, error) {
	box, err := startSignalbox(ctx, b.binary, b.upstream.address, b.profiles != "")
	if err != nil {
		return nil, err
	}
	return &target{address: box.address, path: "/proxy/v1", key: box.key, pid: box.pid(), stop: box.stop, box: box}, nil
}
