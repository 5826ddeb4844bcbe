// Reloads data every ten seconds while the tab is visible.
import { useEffect, useRef } from 'preact/hooks'

const pollIntervalMs = 10_000

/** Calls the reload of the latest render, because the URL of the data may change with the range. */
export function usePolling(reload: () => void): void {
  const latest = useRef(reload)
  latest.current = reload
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && latest.current(), pollIntervalMs)
    return () => clearInterval(timer)
  }, [])
}
