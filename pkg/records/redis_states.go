package records

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// statesKept is how long a state is kept after its producer's last word. Who
// follows the states has it long before.
const statesKept = 24 * time.Hour

// States returns the reports. What is not one is passed over: it is replaced
// by the next report, or goes with the others that are old.
func (s *RedisSource) States(ctx context.Context) ([]State, error) {
	reports, err := s.client.HGetAll(ctx, redisStates).Result()
	if err != nil {
		return nil, explain("read the producers' states", err)
	}
	var states []State
	var old []string
	for producer, text := range reports {
		state := State{Producer: producer}
		unreadable := uuid.Validate(producer) != nil || json.Unmarshal([]byte(text), &state) != nil
		if !unreadable {
			states = append(states, state)
		}
		if unreadable || time.Since(state.At) > statesKept {
			old = append(old, producer)
		}
	}
	if len(old) > 0 {
		err = s.client.HDel(ctx, redisStates, old...).Err()
	}
	return states, explain("forget old states", err)
}
