// Runs API calls that change something, and holds their progress and error.
import { useState } from 'preact/hooks'
import { ApiError } from './api'

export interface Mutation {
  busy: boolean
  error: ApiError | undefined
  /** Runs a change and returns true if it succeeded. While a change is running, another call returns false at once. */
  run: (change: () => Promise<void>) => Promise<boolean>
  /** Returns the error of one form field, or undefined. */
  fieldError: (param: string) => string | undefined
  /** Shows a field error that the page found itself, without a call. */
  rejectField: (param: string, message: string) => void
}

export function useMutation(): Mutation {
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
    fieldError: (param) => (error?.details.param === param ? error.message : undefined),
    rejectField: (param, message) => setError(new ApiError(message, 'INVALID_REQUEST', 400, { param })),
  }
}
