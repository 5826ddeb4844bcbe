// The models of the page. They are in the URL, so that a link shows the same comparison.
import { params, setParams } from '../../router'

export const maxModels = 4

/** The models that the URL names, each once. The default is auto. */
export function selectedModels(): string[] {
  const named = (params.value.get('models') ?? '').split(',').map((m) => m.trim()).filter(Boolean)
  const models = [...new Set(named)].slice(0, maxModels)
  return models.length > 0 ? models : ['auto']
}

export function selectModels(models: string[]): void {
  const text = [...new Set(models.filter(Boolean))].slice(0, maxModels).join(',')
  setParams({ models: text === 'auto' ? null : text }, 'replace')
}
