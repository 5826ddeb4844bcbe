package gate

// Place is a request's inside. The zero one is none.
type Place struct {
	gate    *Gate
	account *account
	key     *usage
	// bytes is the memory that the request holds.
	bytes int64
}

// Reserve takes memory for a body. It comes before the memory is used. A body
// that has the gate, or its key's share of it, for itself is always taken, or
// the longest might never be. Error: ErrFull.
func (p *Place) Reserve(n int64) error {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	p.add(n)
	if limit := g.limits.Bytes; limit == 0 || p.fitsKey(limit) && p.fitsAll(limit) {
		return nil
	}
	p.add(-n)
	return ErrFull
}

func (p *Place) fitsKey(limit int64) bool {
	return p.key.bytes <= share(limit) || p.key.bytes == p.bytes
}

func (p *Place) fitsAll(limit int64) bool {
	all := p.gate.all.bytes
	return all <= limit-spare(limit) || all == p.bytes || all <= limit && p.account.bytes <= p.gate.fair(limit)
}

// Unreserve gives memory back.
func (p *Place) Unreserve(n int64) {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	p.add(-n)
}

func (p *Place) add(n int64) {
	p.bytes += n
	p.key.bytes += n
	p.account.bytes += n
	p.gate.all.bytes += n
}

// Leave gives the place back, and all memory with it. Nobody may hold that by
// then.
func (p *Place) Leave() {
	g := p.gate
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p.add(-p.bytes)
	p.key.requests--
	g.release(p.account)
	g.pass()
	*p = Place{}
}
