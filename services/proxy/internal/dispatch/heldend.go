package dispatch

// maxHeldEnd limits the events that are held after the one that completes a response.
const maxHeldEnd = maxUncommitted

// heldEnd holds the end of a relayed response back until its record is written. Clients such
// as agents stop reading at the last event, so a crash after that event must not lose the
// record. In all other streams, only frameWriter.Finish writes the end.
type heldEnd struct {
	isRelayed bool
	// size is the length of the end: the last bytes of the frames.
	size int
}

// appendEvent appends the frames of one event. The end starts with the event that completes
// the response. If text follows, the response was not complete, and the end starts anew.
func (h *heldEnd) appendEvent(st frameWriter, frames, payload []byte) ([]byte, error) {
	before, textBytes := len(frames), st.OutputTextBytes()
	frames, err := st.AppendEvent(frames, payload)
	switch {
	case err != nil, !h.isRelayed:
		return frames, err
	case !st.IsFinished():
		h.size = 0
		return frames, nil
	case st.OutputTextBytes() > textBytes, h.size > maxHeldEnd:
		h.size = 0
	}
	h.size += len(frames) - before
	return frames, nil
}
