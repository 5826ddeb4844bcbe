import { buildURL } from '../../router'
import type { RequestDetail } from '../../types'

/** The playground has four columns. */
const maxColumns = 4

/** The URL of the playground with the request and the models to run it with. */
export const runAgainURL = (r: Pick<RequestDetail, 'id'>, models: string[]): string =>
  buildURL('/playground', { request: r.id, models: [...new Set(models)].slice(0, maxColumns).join(',') })

/** The models that are worth another run: what the client sent, the default model, and the other candidates. */
export function modelsToRun(r: Pick<RequestDetail, 'requested_model' | 'baseline' | 'candidates' | 'model'>): string[] {
  const others = r.candidates.map((c) => c.model).filter((m) => m !== r.model)
  return [...new Set([r.requested_model, r.baseline.model, ...others])].filter((m): m is string => !!m).slice(0, 8)
}
