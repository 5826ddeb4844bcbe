package normalize

import "github.com/signalbox/signalbox/pkg/jsonscan"

// findByOrder finds the call of a fragment if its order in the chunk is the only clue:
// several fragments of the chunk have the same index, and neither an id nor a name. They
// continue the last calls with that index, in order. It returns -1 otherwise.
func (st *choiceState) findByOrder(fragments []toolCall, at int) int {
	if len(fragments) == 1 || !fragments[at].isAnonymous() {
		return -1
	}
	index, before, count := fragments[at].index, 0, 0
	for i := range fragments {
		if fragments[i].index != index || !fragments[i].isAnonymous() {
			continue
		}
		count++
		if i < at {
			before++
		}
	}
	if count == 1 {
		return -1
	}
	return st.findFromEnd(index, count-before)
}

// findFromEnd returns the position of the nth call from the end with the upstream's index,
// or -1.
func (st *choiceState) findFromEnd(index, n int) int {
	for i := len(st.calls) - 1; i >= 0; i-- {
		if st.calls[i].index != index {
			continue
		}
		if n--; n == 0 {
			return i
		}
	}
	return -1
}

// isAnonymous reports whether a fragment has an index, but neither an id nor a name.
func (k *toolCall) isAnonymous() bool {
	return k.index != noIndex && jsonscan.IsBlank(k.id) && jsonscan.IsBlank(k.name)
}
