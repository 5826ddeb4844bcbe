package normalize

// maxCarried is the maximum size of carried members in bytes. The results of content filters
// are much smaller.
const maxCarried = 64 << 10

// carriedMembers holds the vendor's members of chunks without choices, such as the
// prompt_filter_results that Azure sends first. They become part of the next frame that has
// choices, or of the usage frame. A client never gets them in a frame of their own, because
// client code that reads the first choice would fail.
type carriedMembers struct {
	members objectBuilder
	size    int
}

// addFrom stores the members of a chunk without choices. It ignores objects that are not
// chunks, such as {"type":"ping"}, chunks with usage, and members beyond maxCarried.
func (m *carriedMembers) addFrom(c *chunk) {
	if !c.hasChoices || !c.hasVendorMember || c.usage.IsReported() || m.size+len(c.extra) > maxCarried {
		return
	}
	m.size += len(c.extra)
	forEachMember(c.extra, m.members.set)
}

// appendWith appends the members together with those of a chunk. The chunk's own value wins
// if both have a member of the same name.
func (m *carriedMembers) appendWith(dst, extra []byte) []byte {
	if m.size += len(extra); len(m.members) == 0 || m.size > maxCarried {
		m.clear()
		return append(dst, extra...)
	}
	forEachMember(extra, m.members.set)
	return m.members.appendMembers(dst)
}

func (m *carriedMembers) clear() { m.members, m.size = m.members[:0], 0 }

// removeChoicesBeyond removes the choices that the client did not request. limit is the
// number of requested choices, or 0 if it is unknown.
func (c *chunk) removeChoicesBeyond(limit int) {
	c.removeChoices(func(ch *choice) bool { return ch.index == invalidIndex || limit > 0 && ch.index >= limit })
}

func (c *chunk) removeChoices(isRemoved func(*choice) bool) {
	kept := 0
	for i := range c.choices {
		if isRemoved(&c.choices[i]) {
			continue
		}
		if kept < i { // swap, so that the buffers of removed choices are reused
			c.choices[kept], c.choices[i] = c.choices[i], c.choices[kept]
		}
		kept++
	}
	c.choices = c.choices[:kept]
}
