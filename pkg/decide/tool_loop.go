package decide

// findToolLoop looks for an open tool loop: the request contains results of tools that the
// last turn called. The loop stays with its model, even if another rule of the route applies
// now or the model is below min_quality, because another model may fail on the history. What
// the key, the requirements and the request exclude stays excluded.
func (s *selection) findToolLoop() {
	if s.session == nil || !s.session.ToolLoop || s.session.Last == nil {
		return
	}
	s.loop = s.session.Last
	s.loopModel, _ = s.policy.Model(s.loop.Model)
	r := s.choice.route
	if r == nil {
		return
	}
	for i := range r.Select {
		for _, ref := range r.SelectedEndpoints(i) {
			if ref.Model == s.loopModel && (ref.Provider == "" || ref.Provider == s.loop.Provider) {
				s.loopEndpoint[0] = ref
				s.loopEndpoints = s.loopEndpoint[:]
				return
			}
		}
	}
}

// continueToolLoop moves the candidate that served the last turn of an open tool loop to the
// front, followed by its model at other providers.
func (s *selection) continueToolLoop() {
	if s.loop == nil {
		return
	}
	s.findFirstWithoutLoop()
	s.ranked = s.evaluateEndpoints(s.ranked, s.loopEndpoints, false)
	count, sameEndpoint := 0, 0
	for i, e := range s.ranked {
		if !s.continuesLoop(e) {
			continue
		}
		e.belowFloor = false
		position := count
		if s.servedLast(e) {
			position = sameEndpoint
			sameEndpoint++
		}
		copy(s.ranked[position+1:i+1], s.ranked[position:i])
		s.ranked[position] = e
		count++
	}
}

func (s *selection) findFirstWithoutLoop() {
	for _, e := range s.ranked {
		if !e.isEligible() {
			continue
		}
		if s.healthyWithoutLoop == nil {
			s.healthyWithoutLoop = e
		}
		if e.isUsable() {
			s.firstWithoutLoop = e
			return
		}
	}
}

// continuesLoop reports whether the candidate has the model of the open tool loop.
func (s *selection) continuesLoop(e *evaluation) bool {
	return s.loop != nil && e.model == s.loopModel
}

// isDecidedByLoop reports whether another candidate would be first if every provider were
// healthy and no tool loop were open.
func (s *selection) isDecidedByLoop(healthyFirst *evaluation) bool {
	return s.continuesLoop(healthyFirst) && healthyFirst != s.healthyWithoutLoop
}

// isChosenByLoop reports whether the open tool loop is the reason for the first choice. If
// the request names the model, the loop is the reason only if it changes the provider.
func (s *selection) isChosenByLoop(chosen *evaluation) bool {
	return s.continuesLoop(chosen) && (!s.choice.explicit || chosen != s.firstWithoutLoop)
}

func (s *selection) appendLoopReason(chosen *evaluation) {
	s.appendCandidate(chosen)
	s.appendText(" continues the open tool loop")
	if !s.servedLast(chosen) {
		s.appendText(" of ", s.loop.Provider, " with the same model")
	}
}
