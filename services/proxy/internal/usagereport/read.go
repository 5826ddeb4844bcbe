package usagereport

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// bucket is a kind of tokens that upstreams report separately.
type bucket int

const (
	cacheRead bucket = iota
	cacheWrite
	cacheWrite1h
	reasoning
	// citation is text from sources. The upstream does not count it as part of the prompt.
	citation
	numBuckets
)

// bucketByName maps the names in an upstream's usage, or in its details, to buckets. If an
// upstream sends two names of the same bucket, the larger count is used.
var bucketByName = map[string]bucket{
	"cached_tokens":               cacheRead,
	"prompt_cache_hit_tokens":     cacheRead,
	"num_cached_tokens":           cacheRead,
	"cache_read_input_tokens":     cacheRead,
	"cache_write_tokens":          cacheWrite,
	"cache_creation_tokens":       cacheWrite,
	"cache_creation_input_tokens": cacheWrite,
	"created_cache_tokens":        cacheWrite,
	"cache_write_1h_tokens":       cacheWrite1h,
	"reasoning_tokens":            reasoning,
	"citation_tokens":             citation,
}

// ReadFrom reads a usage object. Some upstreams send null or {} in every chunk, even beside
// a usage elsewhere in the same chunk. An object without plausible counts is ignored: then u
// keeps its values.
func (u *Report) ReadFrom(s *jsonscan.Reader) {
	if !s.Enter(jsonscan.BeginObject) {
		s.Value()
		return
	}
	next := Report{seen: true, extra: u.spare[:0]}
	next.readMembers(s)
	if next.isImplausible || !next.hasPrompt && !next.hasCompletion && !next.hasTotal {
		u.spare = next.extra
		return
	}
	next.normalize()
	next.spare = u.extra
	*u = next
}

func (u *Report) readMembers(s *jsonscan.Reader) {
	for s.NextMember() {
		switch string(s.Name()) {
		case "prompt_tokens":
			u.prompt, u.hasPrompt = u.parseCount(s.Value())
		case "completion_tokens":
			u.completion, u.hasCompletion = u.parseCount(s.Value())
		case "total_tokens":
			u.reportedTotal, u.hasTotal = u.parseCount(s.Value())
		case "prompt_tokens_details", "completion_tokens_details":
			u.readDetails(s)
		default:
			u.readMember(s)
		}
	}
}

// readMember reads a member that only some vendors send.
func (u *Report) readMember(s *jsonscan.Reader) {
	rawName, name := s.RawName(), s.Name()
	b, known := bucketByName[string(name)]
	v := s.Value()
	switch {
	case known:
		u.setBucket(b, v)
		u.reasoningIsTopLevel = u.reasoningIsTopLevel || b == reasoning
	case string(name) == "cost":
		u.readCost(v)
	case string(name) == "cost_in_usd_ticks":
		u.setCost(v, tickDigits)
	default:
		AddUnpriced(&u.unpriced, string(name), v)
	}
	u.addExtra(rawName, v)
}

func (u *Report) setBucket(b bucket, v jsontext.Value) {
	n, _ := u.parseCount(v)
	u.byBucket[b] = max(u.byBucket[b], n)
}

func (u *Report) addExtra(rawName, v []byte) {
	if !jsonscan.IsNull(v) {
		u.extra = jsonscan.AppendMember(u.extra, rawName, v)
	}
}

// parseCount parses a token count. Upstreams also send 12.0, "12" or null. ok is
// false if v contains no count.
func (u *Report) parseCount(v jsontext.Value) (n int64, ok bool) {
	if jsonscan.IsString(v) {
		v = v[1 : len(v)-1]
	}
	n, ok = jsonscan.ParseInteger(v)
	if v.Kind() == jsontext.KindNumber && (!ok || n < 0 || n > maxTokenCount) {
		u.isImplausible = true
	}
	return n, ok
}

func (u *Report) readDetails(s *jsonscan.Reader) {
	rawName := s.RawName()
	if !s.Enter(jsonscan.BeginObject) {
		u.addExtra(rawName, s.Value())
		return
	}
	start := s.Offset() - 1
	isOutput := string(rawName) == `"completion_tokens_details"`
	for s.NextMember() {
		name := s.Name()
		b, known := bucketByName[string(name)]
		if v := s.Value(); known {
			u.setBucket(b, v)
		} else {
			addDetail(&u.unpriced, isOutput, string(name), v)
		}
	}
	u.extra = jsonscan.AppendMember(u.extra, rawName, s.Source()[start:s.Offset()])
}
