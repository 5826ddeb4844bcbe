package codec

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// What a record may hold, in bytes and parts. A proxy stays far below; beyond
// is damage or malice, and must not make a page that no browser can show.
const (
	maxText   = 1 << 10
	maxReason = 2 << 10
	maxError  = 4 << 10
	// maxContent is more than any capture limit.
	maxContent  = 256 << 10
	maxParts    = 100
	maxFeatures = 250
	traceLen    = 16
)

// text cuts what has no limit of its own.
func text(s string) string { return Cut(s, maxText) }

// Cut keeps the first bytes of a text, and no half character.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

func first[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// featuresFromProto keeps the same ones however often it is asked.
func featuresFromProto(all map[string]int64) map[string]int64 {
	if len(all) == 0 {
		return nil
	}
	out := make(map[string]int64, min(len(all), maxFeatures))
	for _, name := range first(slices.Sorted(maps.Keys(all)), maxFeatures) {
		out[text(name)] = all[name]
	}
	return out
}
