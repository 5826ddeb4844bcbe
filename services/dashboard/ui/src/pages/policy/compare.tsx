import { useEffect, useState } from 'preact/hooks'
import { call, type ApiError } from '../../api'
import { Dialog } from '../../components/controls'
import { ErrorBox, Skeleton } from '../../components/states'
import { Differences } from './difference'
import { short, type Difference } from './shapes'

/** How a version differs from the one in force. */
export function Compare({ from, onClose }: { from: string; onClose: () => void }) {
  const [found, setFound] = useState<Difference>()
  const [error, setError] = useState<ApiError>()
  const ask = () => {
    setError(undefined)
    call<Difference>('POST', '/policy/diff', { from }).then(setFound, setError)
  }
  useEffect(ask, [from])
  return (
    <Dialog open title={`From ${short(from)} to what is in force`} onClose={onClose}>
      <div class="stack">
        {error ? <ErrorBox error={error} again={ask} /> : found ? <Differences of={found} /> : <Skeleton rows={3} />}
        <div class="line end"><button type="button" class="button" onClick={onClose}>Close</button></div>
      </div>
    </Dialog>
  )
}
