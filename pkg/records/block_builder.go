package records

const (
	// backlogLength is a stream length that shows a slow or unavailable ledger. It is
	// far more blocks than a second of ordinary traffic leaves.
	backlogLength = 500
	// Small records in one block have most of their bytes in common, so compressing
	// them is cheap and effective.
	minSharedRecords   = 4
	smallRecord        = 2 << 10
	maxReusedBuffer    = 4 << 20
	minCompressedBytes = 1 << 10
)

// block is one entry of the stream.
type block struct {
	producer string
	bytes    []byte
}

// blockBuilder encodes blocks into reused buffers.
type blockBuilder struct {
	raw, out []byte
	blocks   []block
}

// buildBlocks splits entries into blocks, in order. The result is valid until the next
// call. Compressing content costs many times the rest of publishing, so it happens
// only during a backlog, when the size in Redis matters.
func (p *blockBuilder) buildBlocks(entries []Entry, long bool) []block {
	if cap(p.raw) > maxReusedBuffer || cap(p.out) > maxReusedBuffer {
		*p = blockBuilder{}
	}
	p.out, p.blocks = p.out[:0], p.blocks[:0]
	for len(entries) > 0 {
		n, size := measureBlock(entries)
		compress := size >= minCompressedBytes && (long || n >= minSharedRecords && size <= n*smallRecord)
		from := len(p.out)
		if compress {
			p.raw = appendRecords(p.raw[:0], entries[:n])
			p.out = appendCompressedBlock(p.out, p.raw)
		} else {
			p.out = appendPlainBlock(p.out, entries[:n])
		}
		// If out is reallocated, earlier blocks keep their old memory.
		p.blocks = append(p.blocks, block{entries[0].Producer, p.out[from:]})
		entries = entries[n:]
	}
	return p.blocks
}

// measureBlock returns how many entries the next block holds, and their size in bytes.
func measureBlock(entries []Entry) (n, size int) {
	for _, e := range entries {
		full := n == maxBlockRecords || size+len(e.Record) > maxBlockBytes
		if n > 0 && (full || e.Producer != entries[0].Producer) {
			break
		}
		size += len(e.Record)
		n++
	}
	return n, size
}
