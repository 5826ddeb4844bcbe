import { useEffect, useState } from 'preact/hooks'
import { type ApiError, callApi } from '../../api'
import { Dialog } from '../../components/controls'
import { ErrorBox, Skeleton } from '../../components/states'
import { DiffView } from './diffview'
import { type Difference, shortVersion, type Version } from './types'

/** The version to compare with the active one for a version in the address: this version, or, if it is active itself, the version before it. */
export function findComparison(all: Version[], version: string): string {
  const at = all.findIndex((v) => v.version === version)
  return all[at]?.active ? (all[at + 1]?.version ?? version) : version
}

/** Shows how a version differs from the active one. */
export function CompareDialog({ from, onClose }: { from: string; onClose: () => void }) {
  const [difference, setDifference] = useState<Difference>()
  const [error, setError] = useState<ApiError>()
  const load = () => {
    setError(undefined)
    callApi<Difference>('POST', '/policy/diff', { from }).then(setDifference, setError)
  }
  useEffect(load, [from])
  return (
    <Dialog open title={`Changes from ${shortVersion(from)} to the active version`} onClose={onClose}>
      <div class="stack">
        {error ? <ErrorBox error={error} onRetry={load} /> : difference ? <DiffView of={difference} /> : <Skeleton rows={3} />}
        <div class="line end"><button type="button" class="button" onClick={onClose}>Close</button></div>
      </div>
    </Dialog>
  )
}
