package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// usage is what the upstream says it used so far. Its input has neither what
// came from a cache nor what went into one.
type usage struct {
	input, cacheRead, cacheWrite, output int64
	// write is the sum of the writes by how long they live, and write1h those
	// that live long.
	write, write1h, thinking int64
	serverTools              []byte
	// seen is set if there is any number, told if that of the input is, and
	// counted if that of thinking is.
	seen, told, counted bool
}

// read takes the next value over what was known: a stream tells first what came
// in, and at its end the rest, not always all of it.
func (u *usage) read(r *jsonscan.Reader) {
	if !r.Open(jsonscan.BeginObject) {
		r.Value()
		return
	}
	for r.Member() {
		switch string(r.Name()) {
		case "input_tokens":
			u.told = u.count(&u.input, r.Value()) || u.told
		case "cache_read_input_tokens":
			u.count(&u.cacheRead, r.Value())
		case "cache_creation_input_tokens":
			u.count(&u.cacheWrite, r.Value())
		case "output_tokens":
			u.count(&u.output, r.Value())
		case "cache_creation":
			u.readWrites(r)
		case "output_tokens_details":
			u.readDetails(r)
		case "server_tool_use":
			if v := r.Value(); isObject(v) {
				u.serverTools = append(u.serverTools[:0], v...)
			}
		default:
			r.Value()
		}
	}
}

// readWrites takes the writes by how long they live.
func (u *usage) readWrites(r *jsonscan.Reader) {
	if !r.Open(jsonscan.BeginObject) {
		r.Value()
		return
	}
	var short int64
	for r.Member() {
		switch string(r.Name()) {
		case "ephemeral_5m_input_tokens":
			u.count(&short, r.Value())
		case "ephemeral_1h_input_tokens":
			u.count(&u.write1h, r.Value())
		default:
			r.Value()
		}
	}
	u.write = short + u.write1h
}

func (u *usage) readDetails(r *jsonscan.Reader) {
	if !r.Open(jsonscan.BeginObject) {
		r.Value()
		return
	}
	for r.Member() {
		if string(r.Name()) == "thinking_tokens" {
			u.counted = u.count(&u.thinking, r.Value())
			continue
		}
		r.Value()
	}
}

// maxCount is more tokens than any call uses, and small enough for sums.
const maxCount = 1 << 40

// count takes a number of tokens. One that cannot be true is left out.
func (u *usage) count(to *int64, v []byte) bool {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return false
	}
	*to, u.seen = n, true
	return true
}

// append writes the usage in our clients' meaning: the prompt is all that went
// in, and the completion all that came out, which is left out while more may
// come.
func (u *usage) append(dst []byte, whole bool) []byte {
	write := max(u.cacheWrite, u.write)
	prompt := u.input + u.cacheRead + write
	dst = append(dst, `{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, prompt, 10)
	if whole {
		dst = append(dst, `,"completion_tokens":`...)
		dst = strconv.AppendInt(dst, u.output, 10)
		dst = append(dst, `,"total_tokens":`...)
		dst = strconv.AppendInt(dst, prompt+u.output, 10)
	}
	dst = append(dst, `,"prompt_tokens_details":{"cached_tokens":`...)
	dst = strconv.AppendInt(dst, u.cacheRead, 10)
	dst = append(dst, `,"cache_write_tokens":`...)
	dst = strconv.AppendInt(dst, write, 10)
	dst = append(dst, `,"cache_write_1h_tokens":`...)
	dst = strconv.AppendInt(dst, min(u.write1h, write), 10)
	dst = append(dst, '}')
	if u.counted {
		dst = append(dst, `,"completion_tokens_details":{"reasoning_tokens":`...)
		dst = append(strconv.AppendInt(dst, u.thinking, 10), '}')
	}
	if len(u.serverTools) > 0 {
		dst = append(dst, `,"server_tool_use":`...)
		dst = append(dst, u.serverTools...)
	}
	return append(dst, '}')
}
