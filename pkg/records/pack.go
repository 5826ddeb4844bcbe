package records

const (
	// longStream is a stream in which records pile up because the ledger is
	// slow or away: far more blocks than a second of ordinary traffic leaves.
	longStream = 500
	// Small records that travel together have most of their bytes in common:
	// to compress them costs next to nothing and saves most of them.
	company      = 4
	smallRecord  = 2 << 10
	keptPack     = 4 << 20
	worthTheWork = 1 << 10
)

// block is one entry of the stream to be.
type block struct {
	producer string
	bytes    []byte
}

// pack is the memory in which blocks are made.
type pack struct {
	raw, out []byte
	made     []block
}

// blocks cuts entries into blocks, in their order. They are valid until the
// next call. What content costs to compress is many times what all else of
// publishing does, so it is compressed only while it has to lie in Redis,
// which is when its size matters.
func (p *pack) blocks(entries []Entry, long bool) []block {
	if cap(p.raw) > keptPack || cap(p.out) > keptPack {
		*p = pack{}
	}
	p.out, p.made = p.out[:0], p.made[:0]
	for len(entries) > 0 {
		n, size := measure(entries)
		compress := size >= worthTheWork && (long || n >= company && size <= n*smallRecord)
		from := len(p.out)
		if compress {
			p.raw = appendRecords(p.raw[:0], entries[:n])
			p.out = appendCompressed(p.out, p.raw)
		} else {
			p.out = appendPlain(p.out, entries[:n])
		}
		// Should out move, the blocks before keep the memory they were made in.
		p.made = append(p.made, block{entries[0].Producer, p.out[from:]})
		entries = entries[n:]
	}
	return p.made
}

// measure is how many entries the next block holds, and about how many bytes
// that are.
func measure(entries []Entry) (n, size int) {
	for _, e := range entries {
		full := n == blockRecords || size+len(e.Record) > blockBytes
		if n > 0 && (full || e.Producer != entries[0].Producer) {
			break
		}
		size += len(e.Record)
		n++
	}
	return n, size
}
