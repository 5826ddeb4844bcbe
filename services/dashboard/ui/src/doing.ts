// A change that is being made: whether it runs, and what was wrong with it.
import { useState } from 'preact/hooks'
import { ApiError } from './api'

export interface Doing {
  busy: boolean
  error: ApiError | undefined
  /** Runs a change, one at a time; true if it was made. */
  run: (change: () => Promise<void>) => Promise<boolean>
  /** What is wrong with a field, to stand beside it. */
  wrong: (param: string) => string | undefined
  /** Shows an error of our own, as if the server had found it. */
  refuse: (param: string, message: string) => void
}

export function useDoing(): Doing {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const run = async (change: () => Promise<void>): Promise<boolean> => {
    if (busy) return false
    setBusy(true)
    setError(undefined)
    try {
      await change()
      return true
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      setError(e)
      return false
    } finally {
      setBusy(false)
    }
  }
  return {
    busy, error, run,
    wrong: (param) => (error?.details.param === param ? error.message : undefined),
    refuse: (param, message) => setError(new ApiError(message, 'INVALID_REQUEST', 400, { param })),
  }
}
