package proxy

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	// maxLabelSets limits the combinations of labels of one metric, so that neither many models
	// nor a mistake in the policy fill the memory of the proxy and of Prometheus.
	maxLabelSets = 1000
	// otherLabel replaces models, providers and limits beyond maxLabelSets.
	otherLabel = "other"
)

// label returns a label. Prometheus rejects a page with invalid UTF-8.
func label(key attribute.Key, value string) attribute.KeyValue {
	return key.String(strings.ToValidUTF8(value, "\uFFFD"))
}

// labelMap maps combinations of labels to their counts. Entries are reused, because creating labels
// costs more than counting. The zero value is ready to use. It is safe for concurrent use.
type labelMap[K comparable, V any] struct {
	known sync.Map // from K to *V
	size  atomic.Int64
}

// find returns the counts of key. create returns the counts of a new key; if the map is full, it
// returns them under a key that has few values.
func (l *labelMap[K, V]) find(key K, create func(key K, isFull bool) (K, *V)) *V {
	if found, ok := l.known.Load(key); ok {
		return found.(*V)
	}
	key, created := create(key, l.size.Load() >= maxLabelSets)
	found, wasKnown := l.known.LoadOrStore(key, created)
	if !wasKnown {
		l.size.Add(1)
	}
	return found.(*V)
}

// labelled is a value that knows its labels.
type labelled[V any] interface {
	*V
	exportedLabels() metric.MeasurementOption
}

// observeEach exports one value for every combination of labels.
func observeEach[K comparable, V any, P labelled[V]](all *labelMap[K, V], value func(*V) int64) metric.Int64ObservableCounterOption {
	return metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		all.known.Range(func(_, v any) bool {
			found := v.(*V)
			o.Observe(value(found), P(found).exportedLabels())
			return true
		})
		return nil
	})
}
