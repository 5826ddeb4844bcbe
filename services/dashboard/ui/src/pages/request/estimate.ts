import type { RequestDetail } from '../../types'

/** Explains why a cost is an estimate. Empty if it is not one. */
export function describeEstimate(r: Pick<RequestDetail, 'cost_basis' | 'attempts'>): string {
  if (r.cost_basis !== 'estimated') return ''
  const names = [...new Set(r.attempts.flatMap((a) => a.unpriced))]
  const reasons = [
    names.length === 0 ? '' : `${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} no price in the catalog`,
    r.attempts.every((a) => a.cost_basis !== 'estimated' || a.unpriced.length > 0) && names.length > 0 ? '' : 'the usage of an attempt was not fully reported',
  ]
  return ` (estimated: ${reasons.filter(Boolean).join('; ')})`
}
