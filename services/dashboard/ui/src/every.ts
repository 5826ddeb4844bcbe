// Asks again now and then, while somebody looks.
import { useEffect } from 'preact/hooks'

const pause = 10_000

export function useEvery(again: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && again(), pause)
    return () => clearInterval(timer)
  }, [])
}
