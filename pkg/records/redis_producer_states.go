package records

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// stateRetention is how long a state is retained after its last report. Readers fetch the states much
// more often, so they see the last state of every producer.
const stateRetention = 24 * time.Hour

// ProducerStates returns the reported states. It deletes expired and invalid states, and does not
// return the invalid ones.
func (s *RedisSource) ProducerStates(ctx context.Context) ([]ProducerState, error) {
	reports, err := s.client.HGetAll(ctx, redisStates).Result()
	if err != nil {
		return nil, wrapRedisError("read the producers' states", err)
	}
	var states []ProducerState
	var old []string
	for producer, text := range reports {
		state := ProducerState{Producer: producer}
		unreadable := uuid.Validate(producer) != nil || json.Unmarshal([]byte(text), &state) != nil
		if !unreadable {
			states = append(states, state)
		}
		if unreadable || time.Since(state.At) > stateRetention {
			old = append(old, producer)
		}
	}
	if len(old) > 0 {
		err = s.client.HDel(ctx, redisStates, old...).Err()
	}
	return states, wrapRedisError("delete expired states", err)
}
