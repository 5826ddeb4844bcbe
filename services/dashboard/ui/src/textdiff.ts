// Compares two texts word by word.

export interface Piece {
  /** Whether the piece is in both texts, only in the first, or only in the second. */
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** The most words of both texts that are compared. The time grows with the product of their lengths. */
const maxWords = 3000

const splitWords = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? []

/** Returns the pieces of both texts in order. Null if the texts are too long to compare. */
export function diffWords(before: string, after: string): Piece[] | null {
  let [a, b] = [splitWords(before), splitWords(after)]
  const start = commonStart(a, b)
  const end = commonStart(a.slice(start).reverse(), b.slice(start).reverse())
  const head = a.slice(0, start), tail = a.slice(a.length - end)
  a = a.slice(start, a.length - end)
  b = b.slice(start, b.length - end)
  if (a.length > maxWords || b.length > maxWords) return null
  return joinPieces([...head.map(same), ...diffMiddle(a, b), ...tail.map(same)])
}

const same = (text: string): Piece => ({ kind: 'same', text })

function commonStart(a: string[], b: string[]): number {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n
}

/** Finds the longest common subsequence by dynamic programming. */
function diffMiddle(a: string[], b: string[]): Piece[] {
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let k = b.length - 1; k >= 0; k--) {
      longest[i * width + k] = a[i] === b[k] ? longest[(i + 1) * width + k + 1]! + 1 : Math.max(longest[(i + 1) * width + k]!, longest[i * width + k + 1]!)
    }
  }
  const out: Piece[] = []
  for (let i = 0, k = 0; i < a.length || k < b.length;) {
    if (i < a.length && k < b.length && a[i] === b[k]) {
      out.push(same(a[i++]!))
      k++
    } else if (k >= b.length || (i < a.length && longest[(i + 1) * width + k]! >= longest[i * width + k + 1]!)) {
      out.push({ kind: 'removed', text: a[i++]! })
    } else out.push({ kind: 'added', text: b[k++]! })
  }
  return out
}

/** Joins neighbors of the same kind. */
function joinPieces(all: Piece[]): Piece[] {
  const out: Piece[] = []
  for (const p of all) {
    const last = out.at(-1)
    if (last?.kind === p.kind) last.text += p.text
    else out.push({ ...p })
  }
  return out
}
