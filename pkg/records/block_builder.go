package records

const (
	// backlogLength is the stream length, in blocks, above which the ledger counts as slow or
	// unavailable. One second of normal traffic leaves far fewer blocks.
	backlogLength = 500
	// A block of at least minSharedRecords records is compressed even without a backlog if its
	// records have at most smallRecord bytes on average. Small records have most of their bytes in
	// common, so compressing them is cheap and effective.
	minSharedRecords = 4
	smallRecord      = 2 << 10
	// minCompressedBytes is the size below which a block is never compressed.
	minCompressedBytes = 1 << 10
	// maxReusedBuffer is the largest buffer that is reused. Larger buffers are freed.
	maxReusedBuffer = 4 << 20
)

// block is one message of the Redis stream. It contains records of one producer.
type block struct {
	producer string
	bytes    []byte
}

// blockBuilder encodes blocks into reused buffers.
type blockBuilder struct {
	raw, out []byte
	blocks   []block
}

// buildBlocks splits entries into blocks, in order. The result is valid until the next call.
// Compressing large records costs many times as much as the rest of publishing. So large records are
// compressed only during a backlog, when memory in Redis is scarce.
func (b *blockBuilder) buildBlocks(entries []Entry, hasBacklog bool) []block {
	if cap(b.raw) > maxReusedBuffer || cap(b.out) > maxReusedBuffer {
		*b = blockBuilder{}
	}
	b.out, b.blocks = b.out[:0], b.blocks[:0]
	for len(entries) > 0 {
		n, size := measureBlock(entries)
		compress := size >= minCompressedBytes && (hasBacklog || n >= minSharedRecords && size <= n*smallRecord)
		from := len(b.out)
		if compress {
			b.raw = appendRecords(b.raw[:0], entries[:n])
			b.out = appendCompressedBlock(b.out, b.raw)
		} else {
			b.out = appendPlainBlock(b.out, entries[:n])
		}
		// Appending to b.out may reallocate it. Earlier blocks then keep the old memory.
		b.blocks = append(b.blocks, block{entries[0].Producer, b.out[from:]})
		entries = entries[n:]
	}
	return b.blocks
}

// measureBlock returns how many entries the next block contains, and their size in bytes.
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
