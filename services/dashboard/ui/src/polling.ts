// Reloads data every ten seconds while the tab is visible.
import { useEffect } from 'preact/hooks'

const pollIntervalMs = 10_000

export function usePolling(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), pollIntervalMs)
    return () => clearInterval(timer)
  }, [])
}
