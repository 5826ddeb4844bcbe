package responses

// AppendEnd implements inbound.Stream.
func (s *stream) AppendEnd(dst []byte) []byte {
	dst = s.appendStart(dst)
	status, incomplete := finishState(s.finish)
	if len(s.items) == 0 && len(s.lateDetails) == 0 {
		dst, _ = s.openPart(dst, false)
	}
	dst = s.closeAll(dst, status)
	if len(s.lateDetails) > 0 {
		dst = s.openItem(dst, reasoningItem)
		s.open.details = s.lateDetails
		dst = s.closeOpenItem(dst)
	}
	return s.appendResponseEvent(dst, "response."+status, responseState{
		status: status, incomplete: incomplete, serviceTier: s.serviceTier, usage: s.usage, output: appendItems(nil, s.items),
	})
}

// closeAll closes the open items. If the response is incomplete, its last item is incomplete.
func (s *stream) closeAll(dst []byte, status string) []byte {
	if status == statusIncomplete && len(s.items) > 0 {
		s.items[len(s.items)-1].status = statusIncomplete
	}
	dst = s.closeOpenItem(dst)
	for _, it := range s.items {
		if it.kind == functionCallItem || it.kind == customCallItem {
			dst = s.closeCall(dst, it)
		}
	}
	return dst
}
