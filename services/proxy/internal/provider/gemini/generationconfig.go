package gemini

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxStopSequences is the maximum number of stop sequences that Google accepts.
const maxStopSequences = 5

// generationConfig builds the generationConfig member.
type generationConfig struct {
	jsonWriter
	writtenNames []string
	// modelMaxTokens is the maximum output of the model. Zero means unknown.
	modelMaxTokens int64
	// limitField is the field in which the client limits the output tokens.
	limitField string
	// topLogprobs is the value of top_logprobs. It has an effect only if logprobs is true.
	topLogprobs jsontext.Value
	logprobs    bool
}

// renamedMembers maps OpenAI fields to members of the generationConfig. The values are
// copied unchanged.
var renamedMembers = map[string]string{
	"temperature":       "temperature",
	"top_p":             "topP",
	"top_k":             "topK",
	"presence_penalty":  "presencePenalty",
	"frequency_penalty": "frequencyPenalty",
}

// readMember reads a member that belongs to the generationConfig. It returns false for any
// other member.
func (s *generationConfig) readMember(d *requestTranslator, name string, v jsontext.Value) bool {
	if own, ok := renamedMembers[name]; ok {
		s.startMember(own).raw(v)
		return true
	}
	switch name {
	case "n":
	case "max_tokens", "max_completion_tokens":
		s.limitField = name
	case "stop":
		s.addStopSequences(d, v)
	case "seed":
		s.startMember("seed").number(toSeed(v))
	case "logprobs":
		s.logprobs = isTrue(v)
	case "top_logprobs":
		s.topLogprobs = v
	case "reasoning_effort":
		s.setEffort(d, v)
	default:
		return false
	}
	return true
}

// startMember writes the name of a member and records it in writtenNames.
func (s *generationConfig) startMember(name string) *jsonWriter {
	s.writtenNames = append(s.writtenNames, name)
	return s.key(name)
}

// addParsedMembers adds the members that can be written only after all fields are read.
func (s *generationConfig) addParsedMembers(d *requestTranslator) {
	r := d.call.Request
	if most := r.MaxOutputTokens; most > 0 {
		if s.modelMaxTokens > 0 && most > s.modelMaxTokens {
			d.reportDropped(s.limitField)
			most = s.modelMaxTokens
		}
		s.startMember("maxOutputTokens").number(most)
	}
	if r.Choices > 1 {
		s.startMember("candidateCount").number(int64(r.Choices))
	}
	if s.logprobs {
		s.startMember("responseLogprobs").literal("true")
	}
	if s.logprobs && len(s.topLogprobs) > 0 {
		s.startMember("logprobs").raw(s.topLogprobs)
	}
}

func (s *generationConfig) addStopSequences(d *requestTranslator, v jsontext.Value) {
	if jsonscan.IsString(v) {
		v = slices.Concat([]byte{'['}, v, []byte{']'})
	}
	var list jsonWriter
	n := 0
	for one := range jsonscan.Elements(v) {
		if !lacksText(one) {
			list.raw(one)
			n++
		}
	}
	if n > maxStopSequences {
		d.reject("stop", "it accepts at most "+strconv.Itoa(maxStopSequences)+" sequences")
	}
	if n == 0 {
		return
	}
	s.startMember("stopSequences").open('[')
	s.raw(list.buf)
	s.close(']')
}

// toSeed returns the seed if it fits into Google's int32. Otherwise it returns a hash of
// the seed, so that equal seeds stay equal.
func toSeed(v jsontext.Value) int64 {
	if f, err := strconv.ParseFloat(string(v), 64); err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
		return int64(f)
	}
	h := fnv.New32a()
	_, _ = h.Write(v)
	return int64(h.Sum32() & math.MaxInt32)
}

// writeTo writes the generationConfig. native is the client's own generationConfig. Its
// members are added unless OpenAI fields already set them.
func (s *generationConfig) writeTo(o *jsonWriter, native jsontext.Value) {
	for name, v := range jsonscan.Members(native) {
		if !slices.Contains(s.writtenNames, string(name)) {
			s.quotedKey(name).raw(v)
		}
	}
	if s.isEmpty() {
		return
	}
	o.key("generationConfig").open('{')
	o.raw(s.buf)
	o.close('}')
}
