package records

const (
	// backlogLength is the number of blocks in the stream that shows a slow or
	// unavailable ledger. One second of normal traffic leaves far fewer blocks.
	backlogLength = 500
	// A block of at least minSharedRecords records, each of at most smallRecord bytes
	// on average, is always compressed. Small records have most of their bytes in
	// common, so compressing them is cheap and effective.
	minSharedRecords = 4
	smallRecord      = 2 << 10
	// minCompressedBytes is the size below which a block is never compressed.
	minCompressedBytes = 1 << 10
	// maxReusedBuffer is the largest buffer that is reused.
	maxReusedBuffer = 4 << 20
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
// call. Compressing large records costs many times the rest of publishing, so it happens
// only during a backlog, when the size in Redis matters.
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
		// If out is reallocated, earlier blocks keep their old memory.
		b.blocks = append(b.blocks, block{entries[0].Producer, b.out[from:]})
		entries = entries[n:]
	}
	return b.blocks
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
