package requestbody

// CallIndex finds the call that a function response of Google's API belongs to. It contains
// the calls of one model turn. A search takes constant time on average, because a client may
// send as many calls as fit into a body.
type CallIndex map[callKey][]int

// callKey is an id, or a name. isAnyID selects all calls of the name, otherwise only those
// without an id.
type callKey struct {
	id, name string
	isAnyID  bool
}

// Add adds a call. position is its number in the turn. id may be empty.
func (x CallIndex) Add(position int, id, name string) {
	own := callKey{id: id}
	if id == "" {
		own = callKey{name: name}
	}
	for _, key := range [...]callKey{own, {name: name, isAnyID: true}} {
		x[key] = append(x[key], position)
	}
}

// Find returns the position of the first open call that has the id of the response. Some
// clients invent ids for calls that came without one. So a call without an id also matches by
// its name, and a response without an id matches every call of the name. Find returns -1 if
// there is no such call. A call that is not open must never become open again.
func (x CallIndex) Find(id, name string, isOpen func(position int) bool) int {
	if id != "" {
		if at := x.first(callKey{id: id}, isOpen); at >= 0 {
			return at
		}
	}
	return x.first(callKey{name: name, isAnyID: id == ""}, isOpen)
}

// first returns the first open call of a key. It forgets the calls before it.
func (x CallIndex) first(key callKey, isOpen func(position int) bool) int {
	calls := x[key]
	for len(calls) > 0 && !isOpen(calls[0]) {
		calls = calls[1:]
	}
	if len(calls) == 0 {
		delete(x, key)
		return -1
	}
	x[key] = calls
	return calls[0]
}
