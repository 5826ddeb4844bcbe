package ledger

import "sync"

// Spool stores frames so that they survive the end of the process.
type Spool interface {
	// Start writes the START frame of a request, which contains what is known before the
	// first upstream call. The payload begins after the headroom: free bytes at the
	// beginning of buf, for the frame's header. Start does not retain buf.
	Start(id [16]byte, buf []byte) error
	// End writes the END frame, which contains the complete record. It uses buf as Start
	// does.
	End(id [16]byte, buf []byte) error
	// Forget drops a request whose END frame cannot be written. It has no effect on a
	// closed spool: the next process that opens the spool records the request as
	// aborted.
	Forget(id [16]byte)
}

// Codec encodes a record in two parts. The bytes of the head followed by those of the
// tail are the whole record. A Codec does not retain the record.
type Codec interface {
	// AppendHead encodes what is known before the first upstream call: the caller,
	// the request and the decision. These fields do not change afterwards.
	AppendHead(dst []byte, r *Record) []byte
	// AppendTail encodes the result of the request.
	AppendTail(dst []byte, r *Record) []byte
	// AppendFeedback encodes feedback on earlier requests.
	AppendFeedback(dst []byte, f *Feedback) []byte
	// AppendComparison encodes a comparison of an experiment.
	AppendComparison(dst []byte, c *Comparison) []byte
}

// These constants limit the size of pooled buffers, so that one large record does
// not occupy memory for long. Records with captured text normally fit into
// maxPooledRecord, and their heads fit into maxPooledHead.
const (
	maxPooledRecord = 256 << 10
	maxPooledHead   = 16 << 10
)

// Writer writes records to the spool. Each record gets an END frame. If an upstream is
// called, a START frame comes first.
type Writer struct {
	spool       Spool
	headroom    int
	codec       Codec
	buffers     sync.Pool
	startStates sync.Pool
}

// startState holds the encoded head that Start wrote. It belongs to the record until
// Finish.
type startState struct {
	// head begins with headroom.
	head []byte
	// first is the attempt that assumeFirstAttempt fills in.
	first [1]Attempt
}

// NewWriter returns a writer for a spool that needs the given headroom in bytes.
func NewWriter(spool Spool, headroom int, codec Codec) *Writer {
	return &Writer{spool: spool, headroom: headroom, codec: codec}
}

// Start writes the START frame, before the request reaches an upstream. If the proxy
// crashes, this frame is all that remains of the request. So the frame contains the
// minimum cost: the input tokens at the price of the first candidate.
func (w *Writer) Start(r *Record, prices Prices, inputTokens int64) error {
	n, _ := w.startStates.Get().(*startState)
	if n == nil {
		n = &startState{head: make([]byte, w.headroom)}
	}
	n.head = w.codec.AppendHead(n.head[:w.headroom], r)
	r.startState = n
	defer r.clearAssumed() // also after a panic, because the caller still calls Finish
	r.assumeFirstAttempt(prices, inputTokens)
	whole := w.codec.AppendTail(n.head, r)
	err := w.spool.Start(r.ID, whole)
	n.head = whole[:len(n.head)]
	return err
}

// Finish computes the costs at the given prices and writes the END frame. If it
// returns nil, the spool has the record. If the record cannot be written with its
// captured text, Finish writes it without the text.
func (w *Writer) Finish(r *Record, prices Prices) error {
	r.ComputeCosts(prices)
	err := w.writeEnd(r)
	if err != nil && (r.Request != nil || r.Response != nil) {
		bare := *r
		bare.Request, bare.RequestEnd, bare.Response, bare.Capture = nil, nil, nil, CaptureDropped
		err = w.writeEnd(&bare)
	}
	if err != nil {
		w.spool.Forget(r.ID)
	}
	w.recycleStartState(r)
	return err
}

func (w *Writer) writeEnd(r *Record) error {
	buf, _ := w.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new(make([]byte, w.headroom))
	}
	*buf = w.codec.AppendTail(w.appendHead((*buf)[:w.headroom], r), r)
	err := w.spool.End(r.ID, *buf)
	if cap(*buf) <= maxPooledRecord {
		w.buffers.Put(buf)
	}
	return err
}

// appendHead appends the head that Start encoded, or encodes it if the record was
// never started.
func (w *Writer) appendHead(dst []byte, r *Record) []byte {
	if r.startState == nil {
		return w.codec.AppendHead(dst, r)
	}
	return append(dst, r.startState.head[w.headroom:]...)
}

// recycleStartState returns the start state of a record to the pool.
func (w *Writer) recycleStartState(r *Record) {
	n := r.startState
	r.startState = nil
	if n != nil && cap(n.head) <= maxPooledHead {
		w.startStates.Put(n)
	}
}
